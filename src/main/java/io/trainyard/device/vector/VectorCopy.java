package io.trainyard.device.vector;

/// Copies values in the same order to another grid: flattened to vectors, or with a border of zeros for a
/// convolution with padding.
///
/// @param input its rows are copied
/// @param border rows and columns of zeros around each image; 0 for vectors
record VectorCopy(Values input, Values output, int border) implements VectorLayer {
    static VectorCopy flattened(Values input, int samples) {
        SampleGrid grid = SampleGrid.vector(input.grid.elements());
        return new VectorCopy(input, new Values(grid, samples, input.hasGradient()), 0);
    }

    static VectorCopy padded(Values input, int padding, int samples) {
        SampleGrid in = input.grid;
        SampleGrid grid = SampleGrid.tiled(in.channels(), in.rows() + 2 * padding, in.columns() + 2 * padding);
        return new VectorCopy(input, new Values(grid, samples, input.hasGradient()), padding);
    }

    @Override
    public void forward(int first, int samples, boolean training) {
        copy(samples, input.data, output.data, true);
    }

    @Override
    public void backward(int first, int samples, boolean accumulate) {
        if (input.hasGradient()) {
            copy(samples, input.gradient, output.gradient, false);
        }
    }

    private void copy(int samples, float[] outer, float[] inner, boolean forwards) {
        SampleGrid in = input.grid;
        for (int s = 0; s < samples; s++) {
            int flat = output.grid.at(s, 0, 0);
            for (int channel = 0; channel < in.channels(); channel++) {
                for (int row = 0; row < in.rows(); row++) {
                    int at = in.at(s, channel, row);
                    int other = output.grid.isVector() ? flat : output.grid.at(s, channel, row + border) + border;
                    System.arraycopy(
                            forwards ? outer : inner,
                            forwards ? at : other,
                            forwards ? inner : outer,
                            forwards ? other : at,
                            in.columns());
                    flat += in.columns();
                }
            }
        }
    }
}
