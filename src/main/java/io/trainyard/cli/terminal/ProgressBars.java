package io.trainyard.cli.terminal;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jline.terminal.Terminal;

/// Progress as one bar per job, redrawn in place by a thread of the library. [BarLine] renders a bar.
final class ProgressBars implements ProgressView {
    private static final int REDRAW_MILLIS = 100;

    private final PrintStream out;
    private final boolean blocks;
    private final Terminal terminal = BarConsumer.terminal();
    private final Map<String, Bar> bars = new LinkedHashMap<>();
    private final Map<String, RunningLoss> running = new HashMap<>();
    private final Map<String, Double> means = new HashMap<>();
    private boolean closed;

    private static final class Bar {
        volatile BarLine line;
        final BarConsumer consumer;
        final ProgressBar bar;

        Bar(BarLine first, BarConsumer consumer, boolean blocks) {
            line = first;
            this.consumer = consumer;
            bar = new ProgressBarBuilder()
                    .setTaskName(first.job())
                    .setUpdateIntervalMillis(REDRAW_MILLIS)
                    .continuousUpdate() // also redraws changes that are not counted as steps
                    .setConsumer(consumer)
                    .setRenderer((_, width) -> padded(line.render(width, blocks), width))
                    .build();
        }
    }

    /// A line is drawn over the one before, which may be longer.
    private static String padded(String line, int width) {
        return line + " ".repeat(Math.max(0, width - line.length()));
    }

    ProgressBars(PrintStream out) {
        this.out = out;
        Charset charset = out.charset();
        blocks = charset.equals(StandardCharsets.UTF_8);
    }

    @Override
    public void waiting(String job) {
        draw(job, BarLine.of(new JobState(job), null));
    }

    @Override
    public void show(EventRecord jobRecord, JobState after) {
        String job = jobRecord.job();
        if (jobRecord.event() instanceof StepLosses event && event.attempt() == after.attempt()) {
            JobSpec spec = after.spec();
            running.computeIfAbsent(job, _ -> new RunningLoss())
                    .take(event, spec == null ? REPORT_EVERY_STEPS : spec.reportEverySteps())
                    .forEach(report -> means.put(job, report.mean()));
        }
        draw(job, BarLine.of(after, means.get(job)));
    }

    @Override
    public void rejected(JobState job) {
        draw(job.job(), BarLine.of(job, null));
    }

    synchronized boolean isWhole(String job) {
        Bar bar = bars.get(job);
        return bar == null || bar.line.isWhole(bar.consumer.getMaxRenderedLength());
    }

    private synchronized void draw(String job, BarLine line) {
        if (closed) {
            return;
        }
        Bar bar = bars.get(job);
        if (bar == null) {
            bars.put(job, new Bar(line, new BarConsumer(out, terminal), blocks));
        } else {
            bar.line = line;
        }
    }

    @Override
    public synchronized void close() { // also called when the process is interrupted, by another thread
        if (closed) {
            return;
        }
        closed = true;
        bars.values().forEach(bar -> bar.bar.close());
        bars.clear();
        out.flush();
        try {
            terminal.close();
        } catch (IOException e) {
            throw new UncheckedIOException("closing a terminal writes nothing", e);
        }
    }
}
