package io.trainyard.data;

import java.util.Arrays;

/// The targets of the samples of one part of a dataset.
public sealed interface Targets {
    int size();

    /// The targets of the samples from `from` to `to`, exclusive.
    Targets slice(int from, int to);

    Targets pick(int[] indices);

    /// A class for each sample.
    ///
    /// @param labels (N): 0 to the number of classes - 1
    record ClassLabels(int[] labels) implements Targets {
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

        @Override
        public ClassLabels pick(int[] indices) {
            int[] picked = new int[indices.length];
            Arrays.setAll(picked, i -> labels[indices[i]]);
            return new ClassLabels(picked);
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

        @Override
        public Numbers pick(int[] indices) {
            float[] picked = new float[indices.length * outputs];
            for (int i = 0; i < indices.length; i++) {
                System.arraycopy(values, indices[i] * outputs, picked, i * outputs, outputs);
            }
            return new Numbers(picked, outputs);
        }
    }
}
