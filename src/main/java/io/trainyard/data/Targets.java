package io.trainyard.data;

import java.util.Arrays;

/// What a network is to make of each sample of one part of a data set.
public sealed interface Targets {
    /// Number of samples.
    int size();

    /// Those of the samples `from` to `to`, without it.
    Targets slice(int from, int to);

    /// A class for each sample.
    ///
    /// @param labels (N): 0 to the number of classes - 1
    record ClassLabels(int[] labels) implements Targets {
        /// @param labels (N), unsigned bytes
        public static ClassLabels of(byte[] labels) {
            int[] wide = new int[labels.length];
            for (int i = 0; i < wide.length; i++) {
                wide[i] = Byte.toUnsignedInt(labels[i]);
            }
            return new ClassLabels(wide);
        }

        @Override
        public int size() {
            return labels.length;
        }

        @Override
        public ClassLabels slice(int from, int to) {
            return new ClassLabels(Arrays.copyOfRange(labels, from, to));
        }
    }

    /// Numbers for each sample, for regression.
    ///
    /// @param values (N, outputs), row-major
    /// @param outputs numbers of one sample
    record Numbers(float[] values, int outputs) implements Targets {
        @Override
        public int size() {
            return values.length / outputs;
        }

        @Override
        public Numbers slice(int from, int to) {
            return new Numbers(Arrays.copyOfRange(values, from * outputs, to * outputs), outputs);
        }
    }
}
