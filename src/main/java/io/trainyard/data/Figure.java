package io.trainyard.data;

/// The figures of the generated datasets; a sample's class is the figure's ordinal. Coordinates are relative to
/// the figure: its centre is (0, 0), it is within -1..1, `v` points down.
enum Figure {
    DISC((u, v) -> u * u + v * v <= 0.9),
    CROSS((u, v) -> Math.min(Math.abs(u), Math.abs(v)) <= 0.28 && Math.max(Math.abs(u), Math.abs(v)) <= 1),
    TRIANGLE((u, v) -> v <= 0.75 && Math.abs(u) <= (v + 1) * 0.55),
    HORIZONTAL_STRIPES((u, v) -> Math.abs(u) <= 0.9 && stripe(v)),
    FRAME((u, v) -> Math.max(Math.abs(u), Math.abs(v)) <= 0.9 && Math.max(Math.abs(u), Math.abs(v)) >= 0.55),
    DIAGONAL_CROSS((u, v) -> Math.abs(Math.abs(u) - Math.abs(v)) <= 0.36 && Math.max(Math.abs(u), Math.abs(v)) <= 0.9),
    RING((u, v) -> u * u + v * v <= 1 && u * u + v * v >= 0.4),
    SQUARE((u, v) -> Math.max(Math.abs(u), Math.abs(v)) <= 0.82),
    VERTICAL_STRIPES((u, v) -> Math.abs(v) <= 0.9 && stripe(u)),
    HALF_MOON((u, v) -> u * u + v * v <= 1 && (u - 0.5) * (u - 0.5) + v * v >= 0.64);

    private interface Inside {
        boolean test(double u, double v);
    }

    private final Inside inside;

    Figure(Inside inside) {
        this.inside = inside;
    }

    boolean covers(double u, double v) {
        return inside.test(u, v);
    }

    /// Three bars with gaps of their own width, together 2 * 0.95 wide.
    private static boolean stripe(double across) {
        return Math.abs(across) <= 0.95 && (int) ((across + 0.95) / 0.38) % 2 == 0;
    }
}
