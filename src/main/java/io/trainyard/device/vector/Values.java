package io.trainyard.device.vector;

/// What stands between two layers: activations of a chunk of samples, and the loss's derivative by them, which
/// lies in the same places.
final class Values {
    final Grid grid;
    final float[] data;
    final float[] gradient; // empty where nothing needs it

    /// @param samples there is room for
    Values(Grid grid, int samples, boolean withGradient) {
        this.grid = grid;
        int elements =
                Math.addExact(grid.origin() + Vectors.SLACK + grid.pitch(), Math.multiplyExact(samples, grid.sample()));
        data = new float[elements];
        gradient = withGradient ? new float[elements] : new float[0];
    }

    boolean hasGradient() {
        return gradient.length > 0;
    }

    /// The end of what so many samples take; vectors may go up to it.
    int end(int samples) {
        return grid.origin() + samples * grid.sample();
    }
}
