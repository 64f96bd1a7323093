package io.trainyard.cli.terminal;

import static java.util.Locale.ROOT;

import io.trainyard.event.JobState;
import io.trainyard.spec.Printable;
import org.jspecify.annotations.Nullable;

/// One job as one line of a terminal: a snapshot that another thread may render.
///
/// @param job printable
/// @param meanLoss of the last `reportEverySteps` steps that are whole; null before
/// @param words what stands instead of figures where it has begun no step, has failed or was rejected; null:
///     figures
record BarLine(
        String job,
        JobState.Status status,
        long step,
        long steps,
        @Nullable Float loss,
        @Nullable Double meanLoss,
        @Nullable Double accuracy,
        double samplesPerSecond,
        long elapsedMicros,
        long remainingMicros,
        @Nullable String words) {
    private static final int NAME_WIDTH = 24;
    private static final int MIN_BAR = 5;
    private static final int MAX_BAR = 40;
    private static final int MAX_WORDS = 200;

    static BarLine of(JobState state, @Nullable Double meanLoss) {
        String reason = state.reason();
        String words = switch (state.status()) {
            case QUEUED -> reason == null ? "waiting for a worker" : "given back: " + reason;
            case RUNNING -> state.startedSpec() == null ? "claimed by " + state.worker() : null;
            case FINISHED -> null;
            case PAUSED -> "paused";
            case CANCELLED -> "cancelled";
            case FAILED -> "failed: " + reason;
            case REJECTED -> "rejected: " + reason;
            case EXPANDED -> "a sweep: " + reason;
        };
        return new BarLine(
                name(state.job()),
                state.status(),
                state.step(),
                state.steps(),
                state.loss(),
                meanLoss,
                state.testAccuracy(),
                state.samplesPerSecond(),
                state.elapsedMicros(),
                state.remainingMicros(),
                words == null ? null : Printable.text(words, MAX_WORDS));
    }

    private static String name(String job) {
        return Printable.text(job, NAME_WIDTH);
    }

    /// @param width columns; the result is never wider
    /// @param blocks whether the terminal can show block characters
    String render(int width, boolean blocks) {
        double part = part();
        String left = left(part);
        String right = words != null ? words : figures(width - left.length());
        int space = Math.min(MAX_BAR, width - left.length() - right.length() - 3);
        String bar = space < MIN_BAR ? "" : bar(space, part, blocks);
        String line = left + bar + right;
        return line.length() <= width ? line : line.substring(0, Math.max(0, width));
    }

    /// Whether no word of it is cut off at `width` columns.
    boolean isWhole(int width) {
        return words == null || (words.length() < MAX_WORDS && left(part()).length() + words.length() <= width);
    }

    private double part() {
        boolean unknown = steps == 0; // or a job without steps
        return !unknown ? Math.clamp((double) step / steps, 0, 1) : status == JobState.Status.FINISHED ? 1 : 0;
    }

    /// Rounded down: a job that still runs does not say 100 %.
    private String left(double part) {
        return String.format(ROOT, "%-14s %3d%% ", job, (int) (100 * part));
    }

    private static String bar(int width, double part, boolean blocks) {
        int done = (int) (width * part);
        return blocks
                ? "│" + "█".repeat(done) + " ".repeat(width - done) + "│ "
                : "[" + "=".repeat(done) + " ".repeat(width - done) + "] ";
    }

    /// The mean is omitted if the line would become too long.
    private String figures(int width) {
        String all = figures(meanLoss);
        return all.length() <= width ? all : figures((Double) null);
    }

    private String figures(@Nullable Double mean) {
        StringBuilder figures = new StringBuilder();
        if (steps > 0) {
            figures.append(step).append('/').append(steps);
        }
        if (loss != null) {
            figures.append(String.format(ROOT, " loss %.4f", loss));
        }
        if (mean != null) {
            figures.append(String.format(ROOT, " mean %.4f", mean));
        }
        if (accuracy != null) {
            figures.append(String.format(ROOT, " acc %.4f", accuracy));
        }
        if (samplesPerSecond > 0) {
            figures.append(String.format(ROOT, " %.0f img/s", samplesPerSecond));
        }
        if (status == JobState.Status.FINISHED) {
            figures.append(elapsedMicros == 0 ? " done" : " done in " + Terminal.clock(elapsedMicros));
        } else if (remainingMicros > 0) {
            figures.append(" ETA ").append(Terminal.clock(remainingMicros));
        }
        return figures.toString().strip();
    }
}
