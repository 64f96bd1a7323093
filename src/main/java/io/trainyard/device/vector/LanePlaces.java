package io.trainyard.device.vector;

import java.util.Arrays;
import java.util.stream.IntStream;

/// The places of a convolution's output in the order in which one model by itself sums over them: by blocks of
/// [DotProduct#BLOCK], in each block by [Lanes#part].
final class LanePlaces {
    private final int[][][] outputs; // (block, n): where the places are in a sample of the output
    private final int[][][] inputs; // (block, n): the same in the input, without a tap's shift

    LanePlaces(LaneValues output, LaneValues input) {
        int pitch = output.pitch();
        int span = Vectors.roundUp(output.rows() * pitch);
        int blocks = Math.ceilDiv(span, DotProduct.BLOCK);
        outputs = new int[blocks][Lanes.COUNT][];
        inputs = new int[blocks][Lanes.COUNT][];
        for (int block = 0; block < blocks; block++) {
            int begin = block * DotProduct.BLOCK;
            int end = Math.min(span, begin + DotProduct.BLOCK);
            for (int n = 0; n < Lanes.COUNT; n++) {
                int part = Lanes.part(n);
                int[] places = IntStream.range(begin, end)
                        .filter(p -> p % Lanes.COUNT == part)
                        .filter(p -> p / pitch < output.rows() && p % pitch < output.columns())
                        .toArray();
                outputs[block][n] = offsets(places, pitch, output);
                inputs[block][n] = offsets(places, pitch, input);
            }
        }
    }

    private static int[] offsets(int[] places, int pitch, LaneValues values) {
        return Arrays.stream(places)
                .map(p -> (p / pitch * values.width() + p % pitch) * Lanes.COUNT)
                .toArray();
    }

    int blocks() {
        return outputs.length;
    }

    int[] outputs(int block, int n) {
        return outputs[block][n];
    }

    int[] inputs(int block, int n) {
        return inputs[block][n];
    }
}
