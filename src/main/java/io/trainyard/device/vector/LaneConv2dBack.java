package io.trainyard.device.vector;

import static io.trainyard.device.vector.LaneProduct.COLUMNS;
import static io.trainyard.device.vector.LaneProduct.ROWS;

import io.trainyard.device.vector.LaneProduct.Terms;
import io.trainyard.spec.Conv2d;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// The gradient of a convolution's input: at each place a sum over the output's channels and the taps that reach it.
/// Where
/// one model by itself adds what is zero beyond the output's border, this leaves it out.
final class LaneConv2dBack {
    private static final int LANES = Lanes.COUNT;

    /// Columns of zeros on both sides: places that are summed together do not have all the same taps.
    private static final int MARGIN = COLUMNS - 1;

    /// Channels of the output whose weights stay in the first-level cache: 19 KB of six channels with 25 taps.
    private static final int OUTPUTS = 4;

    private final LaneValues input;
    private final LaneValues output;
    private final FlatModel.Entry weight;
    private final LaneModel model;
    private final int area; // of the kernel
    private final int pitch; // of the slopes' rows
    private final int plane; // of a channel
    private final float[] slopes; // of one sample's output: (channels, rows, pitch)
    private final LaneProduct product = new LaneProduct();
    private final Terms[][] terms; // (row, tile of columns)

    /// Which taps of the kernel are summed: ends exclusive.
    private record Taps(int firstRow, int endRow, int firstColumn, int endColumn) {}

    LaneConv2dBack(LaneValues input, LaneValues output, Conv2d spec, FlatModel.Entry weight, LaneModel model) {
        this.input = input;
        this.output = output;
        this.weight = weight;
        this.model = model;
        int side = spec.kernel().rows();
        int dilation = spec.dilation().rows();
        area = side * side;
        pitch = output.columns() + 2 * MARGIN | 1;
        plane = output.rows() * pitch | 1;
        slopes = new float[output.channels() * plane * LANES];
        terms = new Terms[input.rows()][Math.ceilDiv(input.columns(), COLUMNS)];
        Map<Taps, Terms> known = new HashMap<>();
        for (int row = 0; row < input.rows(); row++) {
            for (int tile = 0; tile < terms[row].length; tile++) {
                int first = tile * COLUMNS;
                int last = Math.min(first + COLUMNS, input.columns()) - 1;
                Taps taps = new Taps(
                        Math.max(0, Math.ceilDiv(row - output.rows() + 1, dilation)),
                        Math.min(side, row / dilation + 1),
                        Math.max(0, Math.ceilDiv(first - output.columns() + 1, dilation)),
                        Math.min(side, last / dilation + 1));
                terms[row][tile] = known.computeIfAbsent(taps, some -> terms(some, side, dilation));
            }
        }
    }

    private Terms terms(Taps taps, int side, int dilation) {
        int rows = Math.max(0, taps.endRow() - taps.firstRow());
        int columns = Math.max(0, taps.endColumn() - taps.firstColumn());
        int count = output.channels() * rows * columns;
        int[] kernel = new int[count];
        int[] places = new int[count];
        for (int k = 0; k < count; k++) {
            int o = k / columns / rows;
            int r = taps.firstRow() + k / columns % rows;
            int c = taps.firstColumn() + k % columns;
            kernel[k] = (o * input.channels() * area + r * side + c) * LANES;
            places[k] = (o * plane - r * dilation * pitch - c * dilation) * LANES;
        }
        return Terms.all(kernel, places);
    }

    void run(int samples) {
        for (int s = 0; s < samples; s++) {
            copySlopes(s);
            Arrays.fill(input.gradient(), s * input.stride(), (s + 1) * input.stride(), 0);
            for (int o = 0; o < output.channels(); o += OUTPUTS) {
                for (int channel = 0; channel < input.channels(); channel += ROWS) {
                    for (int row = 0; row < input.rows(); row++) {
                        sumRow(s, channel, row, o);
                    }
                }
            }
        }
    }

    private void copySlopes(int sample) {
        int width = output.columns() * LANES;
        int from = sample * output.stride();
        for (int row = 0; row < output.channels() * output.rows(); row++) {
            int to = row / output.rows() * plane + row % output.rows() * pitch + MARGIN;
            System.arraycopy(output.gradient(), from + row * width, slopes, to * LANES, width);
        }
    }

    /// What some of the output's channels add.
    private void sumRow(int sample, int channel, int row, int o) {
        for (int r = 0; r < ROWS; r++) {
            int own = Math.min(channel + r, input.channels() - 1);
            int to = sample * input.stride() + (own * input.plane() + row * input.width()) * LANES;
            product.row(r, (weight.offset() + own * area) * LANES, 0, to);
        }
        for (int tile = 0; tile < terms[row].length; tile++) {
            for (int c = 0; c < COLUMNS; c++) {
                int own = Math.min(tile * COLUMNS + c, input.columns() - 1);
                product.column(c, (row * pitch + MARGIN + own) * LANES, own * LANES);
            }
            Terms all = terms[row][tile];
            int ofChannel = all.to() / output.channels();
            int end = Math.min(o + OUTPUTS, output.channels());
            product.sumOn(all.part(o * ofChannel, end * ofChannel), model.values(), slopes, input.gradient());
        }
    }
}
