package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Pixels down the rows and along the columns of an image: a window's sides, its steps. In JSON one number where both
/// are the same, `[rows, columns]` where not: PyTorch's int or tuple.
public record Extent(int rows, int columns) {
    private static final String ALLOWED = "a whole number, or two: [rows, columns]";

    /// The same both ways.
    public static Extent square(int side) {
        return new Extent(side, side);
    }

    /// What a job gives, or the same both ways.
    static Extent orSquare(@Nullable Extent given, int side) {
        return given == null ? square(side) : given;
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Extent read(JsonNode json) {
        return read(json, ALLOWED);
    }

    /// @param allowed what may stand there, for the message
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

    /// So many pixels.
    public int area() {
        return rows * columns;
    }

    /// As in JSON.
    @Override
    public String toString() {
        return json().toString();
    }
}
