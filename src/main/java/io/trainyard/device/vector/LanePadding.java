package io.trainyard.device.vector;

/// Images as a convolution reads them again and again: with its padding, a border of zeros, and [LaneValues#apart].
///
/// @param border rows and columns of zeros around each image; may be 0
record LanePadding(LaneValues input, LaneValues output, int border) implements LaneLayer {
    static LanePadding of(LaneValues in, int border, int samples) {
        int rows = in.rows() + 2 * border;
        int columns = in.columns() + 2 * border;
        return new LanePadding(in, LaneValues.apart(in.channels(), rows, columns, samples, in.hasGradient()), border);
    }

    @Override
    public void forward(int first, int samples) {
        for (int row = 0; row < samples * input.channels() * input.rows(); row++) {
            System.arraycopy(input.data(), inner(row), output.data(), outer(row), width());
        }
    }

    @Override
    public void backward(Chunk chunk) {
        if (input.hasGradient()) {
            for (int row = 0; row < chunk.samples() * input.channels() * input.rows(); row++) {
                System.arraycopy(output.gradient(), outer(row), input.gradient(), inner(row), width());
            }
        }
    }

    private int width() {
        return input.columns() * Lanes.COUNT;
    }

    /// Where a row of all samples' images is without its border.
    private int inner(int row) {
        return row * width();
    }

    private int outer(int row) {
        int plane = row / input.rows() * output.plane();
        return (plane + (row % input.rows() + border) * output.width() + border) * Lanes.COUNT;
    }
}
