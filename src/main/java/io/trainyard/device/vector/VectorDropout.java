package io.trainyard.device.vector;

/// Multiplies by the batch's mask, in place, in training only.
///
/// @param mask of the whole batch, (samples, sample's shape), row-major
record VectorDropout(Values output, float[] mask) implements VectorLayer {
    @Override
    public void forward(int first, int samples, boolean training) {
        if (training) {
            multiply(output.data, first, samples);
        }
    }

    @Override
    public void backward(int first, int samples, boolean accumulate) {
        if (output.hasGradient()) {
            multiply(output.gradient, first, samples);
        }
    }

    private void multiply(float[] values, int first, int samples) {
        SampleGrid grid = output.grid;
        int next = first * grid.elements();
        for (int s = 0; s < samples; s++) {
            for (int channel = 0; channel < grid.channels(); channel++) {
                for (int row = 0; row < grid.rows(); row++) {
                    int at = grid.at(s, channel, row);
                    for (int column = 0; column < grid.columns(); column++) {
                        values[at + column] *= mask[next++];
                    }
                }
            }
        }
    }
}
