package io.trainyard.spec;

/// A layer that cannot take the shape it is given; [Network] adds which layer and which shape.
final class ShapeMismatch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ShapeMismatch(String message) {
        super(message);
    }
}
