package io.trainyard.tracking;

/// Splits rows into single losses and skips steps that occurred in an earlier row.
final class DistinctSteps implements CurveTables.LossReader {
    private final Reader reader;
    private long last;

    interface Reader {
        void take(long step, float loss, long millis);
    }

    DistinctSteps(Reader reader) {
        this.reader = reader;
    }

    @Override
    public void take(long firstStep, long millis, float[] losses) {
        for (int i = 0; i < losses.length; i++) {
            if (firstStep + i > last) {
                last = firstStep + i;
                reader.take(last, losses[i], millis);
            }
        }
    }
}
