package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/// Rows and columns of an image, a window or a stride, in pixels. In JSON a single number if both are equal,
/// otherwise `[rows, columns]`, like PyTorch's int or tuple.
public record Extent(int rows, int columns) {
    private static final String ALLOWED = "a whole number, or two: [rows, columns]";

    public static Extent square(int side) {
        return new Extent(side, side);
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Extent read(JsonNode json) {
        return read(json, ALLOWED);
    }

    /// @param allowed description for the message
    static Extent read(JsonNode json, String allowed) {
        List<JsonNode> sides = Check.bothWays(json, Extent::isInt, allowed);
        return new Extent(sides.get(0).intValue(), sides.get(1).intValue());
    }

    private static boolean isInt(JsonNode json) {
        return json.isIntegralNumber() && json.canConvertToInt();
    }

    @JsonValue
    Object json() {
        return isSquare() ? rows : List.of(rows, columns);
    }

    public boolean isSquare() {
        return rows == columns;
    }

    public int area() {
        return rows * columns;
    }

    @Override
    public String toString() {
        return json().toString();
    }
}
