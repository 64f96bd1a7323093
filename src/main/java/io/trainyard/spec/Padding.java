package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/// The zeros around an image that is convolved: so many above and below, and so many left and right; or as many as
/// it takes to give an image of the same size.
///
/// @param given null for as many as it takes
public record Padding(@Nullable Extent given) {
    public static final Padding SAME = new Padding(null);

    private static final String SAME_NAME = "same";

    /// As many on all sides.
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

    /// Above and left of an image.
    ///
    /// @param reach from a window's first tap to its last
    Extent before(Extent reach) {
        return given == null ? new Extent(reach.rows() / 2, reach.columns() / 2) : given;
    }

    /// Below and right of it: where as many as it takes are odd, one more than before, as in PyTorch.
    Extent after(Extent reach) {
        return given == null
                ? new Extent(reach.rows() - reach.rows() / 2, reach.columns() - reach.columns() / 2)
                : given;
    }
}
