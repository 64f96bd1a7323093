package io.trainyard.device.vector;

import static io.trainyard.device.vector.LaneProduct.COLUMNS;
import static io.trainyard.device.vector.LaneProduct.ROWS;
import static io.trainyard.device.vector.Vectors.SPECIES;

import io.trainyard.device.vector.LaneProduct.Terms;
import io.trainyard.spec.Conv2d;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import org.jspecify.annotations.Nullable;

/// [ChunkConv2d] of several models, over an input that has its padding already.
final class LaneConv2d implements LaneLayer {
    private static final int LANES = Lanes.COUNT;

    /// Taps of six channels that stay in the first-level cache: 19 KB.
    private static final int PIECE = 50;

    /// Places of a part whose gradients stay there for all taps.
    private static final int PLACES = 60;

    private final LaneValues input;
    private final LaneValues output;
    private final FlatModel.Entry weight;
    private final FlatModel.@Nullable Entry bias;
    private final LaneModel model;
    private final int out;
    private final int taps; // of all input channels
    private final int[] shifts; // where each tap reads the input
    private final List<Terms> forward; // pieces of the taps
    private final int[] places; // where each place of the output begins to read its input
    private final LanePlaces parts;
    private final LaneProduct product = new LaneProduct();
    private final LaneSums sums;
    private final LaneSums biasSums;
    private final float[] slopes; // of some places
    private final int[] ofSlopes = RowProduct.steps(PLACES, ROWS * LANES);
    private final float[] gradient;
    private final float[] biasGradient;
    private final @Nullable LaneConv2dBack back;

    /// @param pitch of the rows of one model's input by itself, with its padding
    /// @param samples of a chunk
    LaneConv2d(
            LaneValues input,
            int pitch,
            Conv2d spec,
            FlatModel.Entry weight,
            FlatModel.@Nullable Entry bias,
            LaneModel model,
            int samples) {
        this.input = input;
        this.weight = weight;
        this.bias = bias;
        this.model = model;
        out = spec.out();
        int side = spec.kernel().rows();
        int dilation = spec.dilation().rows();
        int reach = (side - 1) * dilation;
        taps = input.channels() * side * side;
        shifts = new int[taps];
        for (int tap = 0; tap < taps; tap++) {
            int row = tap / side % side * dilation;
            int column = tap % side * dilation;
            shifts[tap] = (tap / side / side * input.plane() + row * input.width() + column) * LANES;
        }
        forward = new ArrayList<>();
        for (int from = 0; from < taps; from += PIECE) {
            forward.add(new Terms(RowProduct.steps(taps, LANES), shifts, from, Math.min(taps, from + PIECE)));
        }
        int rows = input.rows() - reach;
        int columns = input.columns() - reach;
        output = LaneValues.dense(out, rows, columns, pitch, samples, true);
        places = new int[rows * columns];
        for (int place = 0; place < places.length; place++) {
            places[place] = (place / columns * input.width() + place % columns) * LANES;
        }
        parts = new LanePlaces(output, input);
        sums = new LaneSums(out * taps * LANES);
        biasSums = new LaneSums(out * LANES);
        slopes = new float[Math.ceilDiv(out, ROWS) * ROWS * PLACES * LANES];
        gradient = new float[out * taps * LANES];
        biasGradient = new float[out * LANES];
        back = input.hasGradient() ? new LaneConv2dBack(input, output, spec, weight, model) : null;
    }

    @Override
    public LaneValues output() {
        return output;
    }

    @Override
    public void forward(int first, int samples) {
        for (int s = 0; s < samples; s++) {
            for (int o = 0; o < out; o += ROWS) {
                for (int r = 0; r < ROWS; r++) {
                    int own = Math.min(o + r, out - 1);
                    product.row(
                            r,
                            (weight.offset() + own * taps) * LANES,
                            bias == null ? 0 : (bias.offset() + own) * LANES,
                            s * output.stride() + own * output.area() * LANES);
                }
                for (Terms piece : forward) {
                    forward(s, piece);
                }
            }
        }
    }

    /// All places of some channels.
    private void forward(int sample, Terms piece) {
        for (int place = 0; place < places.length; place += COLUMNS) {
            for (int c = 0; c < COLUMNS; c++) {
                int own = Math.min(place + c, places.length - 1);
                product.column(c, sample * input.stride() + places[own], own * LANES);
            }
            if (piece.from() > 0) {
                product.sumOn(piece, model.values(), input.data(), output.data());
            } else if (bias == null) {
                product.sum(piece, model.values(), input.data(), output.data());
            } else {
                product.sumFrom(model.values(), piece, model.values(), input.data(), output.data());
            }
        }
    }

    @Override
    public void backward(Chunk chunk) {
        if (back != null) {
            back.run(chunk.samples());
        }
        Arrays.fill(gradient, 0);
        if (!chunk.isFirst()) {
            model.takeGradient(gradient, weight.offset(), out * taps);
        }
        for (int block = 0; block < parts.blocks(); block++) {
            for (int n = 0; n < LANES; n++) {
                sumPart(block, n, chunk.samples());
                sums.add(n);
            }
            LaneSums.addVectors(gradient, 0, sums.array(), 0, gradient.length);
        }
        if (bias != null) {
            sumBias(chunk, bias);
        }
        model.followWhole(chunk, gradient, weight.offset(), out * taps);
    }

    /// All taps' sums over one part of the places.
    private void sumPart(int block, int n, int samples) {
        int[] of = parts.outputs(block, n);
        int to = sums.next();
        Arrays.fill(sums.array(), to, to + gradient.length, 0);
        for (int s = 0; s < samples; s++) {
            for (int from = 0; from < of.length; from += PLACES) {
                int count = Math.min(PLACES, of.length - from);
                collectSlopes(s, of, from, count);
                sumPiece(s, Arrays.copyOfRange(parts.inputs(block, n), from, from + count), to);
            }
        }
    }

    /// Brings together what all taps are multiplied by: (tiles of channels, places, channels of a tile).
    private void collectSlopes(int sample, int[] of, int from, int count) {
        int to = 0;
        for (int o = 0; o < out; o += ROWS) {
            for (int i = from; i < from + count; i++) {
                for (int r = 0; r < ROWS; r++) {
                    int channel = Math.min(o + r, out - 1) * output.plane() * LANES;
                    int at = sample * output.stride() + channel + of[i];
                    System.arraycopy(output.gradient(), at, slopes, to, LANES);
                    to += LANES;
                }
            }
        }
    }

    private void sumPiece(int sample, int[] inputs, int to) {
        Terms piece = new Terms(ofSlopes, inputs, 0, inputs.length);
        for (int o = 0; o < out; o += ROWS) {
            for (int r = 0; r < ROWS; r++) {
                int own = Math.min(o + r, out - 1);
                product.row(r, (o * inputs.length + r) * LANES, 0, to + own * taps * LANES);
            }
            for (int tap = 0; tap < taps; tap += COLUMNS) {
                for (int c = 0; c < COLUMNS; c++) {
                    int own = Math.min(tap + c, taps - 1);
                    product.column(c, sample * input.stride() + shifts[own], own * LANES);
                }
                product.sumOn(piece, slopes, input.data(), sums.array());
            }
        }
    }

    /// A channel's sum has no blocks.
    private void sumBias(Chunk chunk, FlatModel.Entry entry) {
        for (int n = 0; n < LANES; n++) {
            int to = biasSums.next();
            for (int o = 0; o < out; o++) {
                int channel = o * output.area() * LANES;
                sumVectors(biasSums.array(), to + o * LANES, channel, n, chunk.samples());
            }
            biasSums.add(n);
        }
        Arrays.fill(biasGradient, 0);
        if (!chunk.isFirst()) {
            model.takeGradient(biasGradient, entry.offset(), out);
        }
        LaneSums.addVectors(biasGradient, 0, biasSums.array(), 0, biasGradient.length);
        model.followWhole(chunk, biasGradient, entry.offset(), out);
    }

    private void sumVectors(float[] to, int at, int channel, int n, int samples) {
        float[] gradients = output.gradient();
        FloatVector sum = FloatVector.zero(SPECIES);
        for (int s = 0; s < samples; s++) {
            for (int block = 0; block < parts.blocks(); block++) {
                for (int place : parts.outputs(block, n)) {
                    int from = s * output.stride() + channel + place;
                    sum = sum.add(FloatVector.fromArray(SPECIES, gradients, from));
                }
            }
        }
        sum.intoArray(to, at);
    }
}
