package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/// The scale factors of rows and columns. In JSON a single number if both are equal, otherwise `[rows, columns]`.
public record Scale(double rows, double columns) {
    public static Scale both(double factor) {
        return new Scale(factor, factor);
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Scale read(JsonNode json) {
        List<JsonNode> factors = Check.bothWays(json, JsonNode::isNumber, "a number, or two: [rows, columns]");
        return new Scale(factors.get(0).doubleValue(), factors.get(1).doubleValue());
    }

    @JsonValue
    Object json() {
        return rows == columns ? rows : List.of(rows, columns);
    }

    @Override
    public String toString() {
        return json().toString();
    }
}
