package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/// Zero padding of a convolution, in rows and columns, or the padding that keeps the image size.
///
/// @param given null for the padding that keeps the size
public record Padding(@Nullable Extent given) {
    public static final Padding SAME = new Padding(null);

    private static final String SAME_NAME = "same";

    public static Padding of(int side) {
        return new Padding(Extent.square(side));
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Padding read(JsonNode json) {
        return json.isTextual() && json.textValue().equals(SAME_NAME)
                ? SAME
                : new Padding(Extent.read(json, "a whole number, or two: [rows, columns], or \"same\""));
    }

    @JsonValue
    Object json() {
        return given == null ? SAME_NAME : given.json();
    }

    boolean isSame() {
        return given == null;
    }

    /// Padding above and left of an image.
    ///
    /// @param reach distance from a window's first tap to its last
    Extent before(Extent reach) {
        return given == null ? new Extent(reach.rows() / 2, reach.columns() / 2) : given;
    }

    /// Padding below and right. An odd total puts the extra row or column here, as in PyTorch.
    Extent after(Extent reach) {
        return given == null
                ? new Extent(reach.rows() - reach.rows() / 2, reach.columns() - reach.columns() / 2)
                : given;
    }
}
