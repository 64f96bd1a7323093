package io.trainyard.data;

import io.trainyard.data.Dataset.Split;
import java.lang.foreign.ValueLayout;

/// The content of a dataset split as byte arrays.
public final class SplitBytes {
    private SplitBytes() {}

    public static byte[] pixels(Split split) {
        return split.samples().memory().toArray(ValueLayout.JAVA_BYTE);
    }

    /// For at most 256 classes.
    public static byte[] labels(Split split) {
        byte[] labels = new byte[split.size()];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = (byte) split.labels()[i];
        }
        return labels;
    }
}
