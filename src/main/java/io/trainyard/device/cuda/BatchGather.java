package io.trainyard.device.cuda;

import io.trainyard.data.PixelScale;
import io.trainyard.data.Samples;
import io.trainyard.device.Workload;

/// Assembles a batch from a dataset's samples on the device.
///
/// @param kernel its name
/// @param table the kernel's data for each channel: the value of each byte, or a mean and a std
record BatchGather(String kernel, float[] table) {
    private static final int BYTE_VALUES = 256;

    static BatchGather of(Workload workload) {
        int channels = workload.dataset().shape().size(0);
        PixelScale scale = workload.scale();
        return switch (workload.dataset().train().samples()) {
            case Samples.Pixels _ -> {
                float[] table = new float[channels * BYTE_VALUES];
                for (int c = 0; c < channels; c++) {
                    System.arraycopy(scale.channel(c), 0, table, c * BYTE_VALUES, BYTE_VALUES);
                }
                yield new BatchGather("gather_batch", table);
            }
            case Samples.Values _ -> {
                float[] table = new float[channels * 2];
                for (int c = 0; c < channels; c++) {
                    table[2 * c] = scale.mean(c);
                    table[2 * c + 1] = scale.std(c);
                }
                yield new BatchGather("gather_values", table);
            }
        };
    }
}
