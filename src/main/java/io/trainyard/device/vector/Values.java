package io.trainyard.device.vector;

/// The values between two layers: activations of a chunk of samples, and their gradients in the same layout.
final class Values {
    final SampleGrid grid;
    final float[] data;
    final float[] gradient; // empty if not needed

    /// @param samples the most samples
    Values(SampleGrid grid, int samples, boolean withGradient) {
        this.grid = grid;
        int elements =
                Math.addExact(grid.origin() + Vectors.SLACK + grid.pitch(), Math.multiplyExact(samples, grid.sample()));
        data = new float[elements];
        gradient = withGradient ? new float[elements] : new float[0];
    }

    boolean hasGradient() {
        return gradient.length > 0;
    }

    /// The end of the space of `samples` samples, including full vectors.
    int end(int samples) {
        return grid.origin() + samples * grid.sample();
    }
}
