package io.trainyard.spec;

/// A layer does not accept its input shape; [Network] adds the layer and the shape.
final class ShapeMismatch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ShapeMismatch(String message) {
        super(message);
    }
}
