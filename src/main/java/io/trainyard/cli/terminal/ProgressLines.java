package io.trainyard.cli.terminal;

import static java.util.Locale.ROOT;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Metric;
import io.trainyard.spec.Printable;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;

/// Progress as lines, one for every `reportEverySteps` steps, but at least for each second and each epoch, with the
/// mean loss since the one before, and one for each other event: for files, pipes and logs.
final class ProgressLines implements ProgressView {
    private static final int MAX_TEXT = 500;
    private static final int SECOND_MICROS = 1_000_000;

    private final PrintStream out;
    private final Map<String, Point> points = new HashMap<>();
    private final Map<String, RunningLoss> running = new HashMap<>();
    private final Map<String, Shown> shown = new HashMap<>();

    /// The newest step of an attempt and its time.
    private record Point(int attempt, long step, long elapsedMicros) {}

    /// The newest line with a loss.
    private record Shown(int attempt, int epoch, double micros) {}

    ProgressLines(PrintStream out) {
        this.out = out;
    }

    @Override
    public void waiting(String job) {
        line(job, "is waiting for a worker");
    }

    @Override
    public void rejected(JobState job) {
        line(job.job(), "was rejected: %s", text(String.valueOf(job.reason())));
    }

    @Override
    public void show(EventRecord jobRecord, JobState after) {
        TrainingEvent event = jobRecord.event();
        if (event.attempt() < after.attempt()) {
            return;
        }
        String job = event.job();
        switch (event) {
            case Claimed e ->
                line(job, "attempt %d on worker %s, device %s", e.attempt(), text(e.worker()), text(e.device()));
            case Started e -> started(e);
            case StepLosses e -> losses(e, after);
            case EpochTested e -> {
                Shown last = shown.get(job);
                if (last == null || last.attempt() != e.attempt() || last.epoch() != e.epoch()) {
                    early(job, e.epoch(), after);
                }
                line(
                        job,
                        "epoch %d step %s %s loss %.4f%s%s",
                        e.epoch(),
                        position(e.step(), after),
                        Part.word(e.part()),
                        e.testLoss(),
                        quality(e) + chosen(e, after),
                        e.samplesPerSecond() > 0 ? String.format(ROOT, " %.0f samples/s", e.samplesPerSecond()) : "");
            }
            case CheckpointSaved e ->
                line(job, "epoch %d step %s checkpoint %s", e.epoch(), position(e.step(), after), text(e.uri()));
            case Finished e -> {
                if (e.test() != null) {
                    line(
                            job,
                            "test of the weights of epoch %d: loss %.4f%s",
                            e.test().epoch(),
                            e.test().testLoss(),
                            quality(e.test()) + chosen(e.test(), after));
                }
                line(
                        job,
                        "finished: %s %s, %.1f s%s%s",
                        e.steps() == 0 ? "evaluated," : e.steps() + " steps,",
                        e.result(),
                        e.trainMillis() / 1e3,
                        stepTimes(e),
                        e.stoppedEarly() == null ? "" : "; stopped early: " + text(e.stoppedEarly()));
            }
            case Failed e -> line(job, "failed: %s", text(e.reason()));
            case Paused e -> line(job, "paused at step %s", position(e.step(), after));
            case Resumed _ -> line(job, "resumed: waits for a worker");
            case Cancelled e -> line(job, "cancelled at step %s", position(e.step(), after));
            case TrainingEvent.Expanded e ->
                line(job, "is expanded into %d jobs: ./trainyard sweep %s shows them", e.trials(), job);
            case Released e -> line(job, "was released at step %s: %s", position(e.step(), after), text(e.reason()));
        }
    }

    private void started(Started e) {
        JobSpec spec = e.spec();
        line(
                e.job(),
                "started on %s: network %s, %d parameter tensors; dataset %s, %d training samples, %s%d test samples; %s",
                text(e.device()),
                spec.network().label(),
                e.parameters().size(),
                spec.dataset().name(),
                e.trainSamples(),
                e.validationSamples() == null ? "" : e.validationSamples() + " validation samples, ",
                e.testSamples(),
                switch (spec.kind()) {
                    case TRAIN -> "%d epochs of %d steps".formatted(spec.epochs(), e.stepsPerEpoch());
                    case EVALUATE -> "a test of checkpoint " + e.initFrom();
                });
        if (spec.kind() == JobKind.TRAIN && e.firstStep() == 1 && e.initFrom() != null) {
            line(e.job(), "starts from checkpoint %s", e.initFrom());
        }
        if (e.firstStep() > 1) {
            line(e.job(), "continues from a checkpoint at step %d", e.firstStep());
        }
    }

    /// Events carry one time for many steps; a line's time is interpolated between two events.
    private void losses(StepLosses e, JobState after) {
        if (e.losses().length == 0) {
            return;
        }
        Point from = points.get(e.job());
        if (from == null || from.attempt() != e.attempt() || from.step() >= e.firstStep()) {
            from = new Point(e.attempt(), e.firstStep() - 1, e.elapsedMicros());
        }
        JobSpec spec = after.spec();
        long every = spec == null ? REPORT_EVERY_STEPS : spec.reportEverySteps();
        for (RunningLoss.Report report :
                running.computeIfAbsent(e.job(), _ -> new RunningLoss()).take(e, every)) {
            double part = (double) (report.step() - from.step()) / (e.lastStep() - from.step());
            double micros = from.elapsedMicros() + part * (e.elapsedMicros() - from.elapsedMicros());
            line(e.job(), e.epoch(), report, micros, after);
        }
        points.put(e.job(), new Point(e.attempt(), e.lastStep(), e.elapsedMicros()));
        Shown last = shown.get(e.job());
        double since = last == null || last.attempt() != e.attempt() ? 0 : last.micros();
        if (e.elapsedMicros() - since >= SECOND_MICROS) {
            early(e.job(), e.epoch(), after);
        }
    }

    private void early(String job, int epoch, JobState after) {
        Point newest = points.get(job);
        RunningLoss losses = running.get(job);
        if (newest != null && losses != null && newest.attempt() == after.attempt()) {
            losses.early().ifPresent(report -> line(job, epoch, report, (double) newest.elapsedMicros(), after));
        }
    }

    private void line(String job, int epoch, RunningLoss.Report report, double micros, JobState after) {
        line(
                job,
                "epoch %d step %s loss %.4f mean %.4f elapsed %.1f s",
                epoch,
                position(report.step(), after),
                report.loss(),
                report.mean(),
                micros / 1e6);
        shown.put(job, new Shown(after.attempt(), epoch, micros));
    }

    /// The job's metric, unless it is the accuracy or loss that each line has.
    private static String chosen(EpochTested e, JobState job) {
        Metric metric = job.spec() == null ? null : job.spec().metric();
        return metric == null || metric == Metric.LOSS || e.metricValue() == null
                ? ""
                : String.format(ROOT, " %s %.4f", metric.label(), e.metricValue());
    }

    private static String quality(EpochTested e) {
        String accuracy =
                e.testAccuracy() == null ? "" : String.format(ROOT, " accuracy %.4f", e.testAccuracy()) + interval(e);
        return e.testMeanAbsoluteError() == null
                ? accuracy
                : String.format(ROOT, "%s mean absolute error %.4f", accuracy, e.testMeanAbsoluteError());
    }

    /// The confidence interval of the accuracy; empty if the event has none.
    private static String interval(EpochTested e) {
        return e.accuracyHigh() == 0 ? "" : String.format(ROOT, " (%.4f-%.4f)", e.accuracyLow(), e.accuracyHigh());
    }

    private static String stepTimes(Finished e) {
        return e.p99StepMicros() == 0
                ? ""
                : String.format(
                        ROOT,
                        "; microseconds per step: median %.0f, p95 %.0f, p99 %.0f",
                        e.medianStepMicros(),
                        e.p95StepMicros(),
                        e.p99StepMicros());
    }

    private static String position(long step, JobState state) {
        return state.steps() == 0 ? Long.toString(step) : step + "/" + state.steps();
    }

    private static String text(String foreign) {
        return Printable.text(foreign, MAX_TEXT);
    }

    private void line(String job, String format, Object... values) {
        String what = values.length == 0 ? format : String.format(ROOT, format, values);
        out.println("job " + Printable.text(job, MAX_TEXT) + " " + what);
    }

    @Override
    public void close() {
        out.flush();
    }
}
