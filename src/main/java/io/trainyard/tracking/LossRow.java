package io.trainyard.tracking;

import io.trainyard.event.TrainingEvent.StepLosses;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Losses of consecutive steps within one chunk of the first level.
record LossRow(
        long firstStep,
        int epoch,
        long millis,
        long elapsedMicros,
        @Nullable Double learningRate,
        float[] losses) {

    /// Larger steps are invalid. They are possible because any client can write to a topic.
    private static final long MAX_STEP = 1L << 50;

    long lastStep() {
        return firstStep + losses.length - 1;
    }

    /// Splits an event's losses at chunk boundaries. An event with invalid steps gives no rows.
    static List<LossRow> of(StepLosses published, long millis) {
        if (published.firstStep() < 1 || published.firstStep() > MAX_STEP) {
            return List.of();
        }
        List<LossRow> rows = new ArrayList<>(2);
        for (int from = 0; from < published.losses().length; ) {
            long first = published.firstStep() + from;
            long end = Level.FIRST.lastStep(Level.FIRST.chunk(first)) + 1;
            int to = (int) Math.min(published.losses().length, end - published.firstStep());
            rows.add(new LossRow(
                    first,
                    published.epoch(),
                    millis,
                    published.elapsedMicros(),
                    published.learningRate(),
                    Arrays.copyOfRange(published.losses(), from, to)));
            from = to;
        }
        return rows;
    }

    byte[] bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(losses.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(losses);
        return bytes.array();
    }

    static float[] losses(byte[] bytes) {
        float[] losses = new float[bytes.length / Float.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(losses);
        return losses;
    }
}
