package io.trainyard.dashboard;

import io.trainyard.checkpoint.Retention;
import io.trainyard.event.ClassMetrics;
import io.trainyard.event.DeviceUse;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Metric;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The history of a job by time: its attempts, its checkpoints, and the times of its tests.
public final class JobTimeline {
    /// The maximum number of checkpoints per job.
    private static final int MAX_CHECKPOINTS = 100_000;

    /// The maximum length of a checkpoint's URI in characters. Any client can write to a topic.
    private static final int MAX_ADDRESS = 2_000;

    private final JobState state;
    private final SortedMap<Integer, Span> spans = new TreeMap<>();
    private final Map<String, Long> testMillis = new HashMap<>();
    private final Map<String, MacroMetrics> macros = new HashMap<>();
    private final SortedMap<Long, Checkpoint> checkpoints = new TreeMap<>();
    private final SortedMap<Integer, Long> counted;

    /// A checkpoint.
    ///
    /// @param millis when it was saved, Unix time in ms
    /// @param best whether it is that of the best test, `JOB/best`
    public record Checkpoint(
            int attempt, int epoch, long step, String uri, String sha256, long bytes, long millis, boolean best) {
        private Checkpoint asBest() {
            return new Checkpoint(attempt, epoch, step, uri, sha256, bytes, millis, true);
        }
    }

    /// Fields of [ClassMetrics].
    public record MacroMetrics(
            double macroPrecision, double macroRecall, double macroF1, double macroF1Low, double macroF1High) {
        private static MacroMetrics of(ClassMetrics metrics) {
            return new MacroMetrics(
                    metrics.macroPrecision(),
                    metrics.macroRecall(),
                    metrics.macroF1(),
                    metrics.macroF1Low(),
                    metrics.macroF1High());
        }
    }

    private static final class Span {
        private @Nullable String worker;
        private @Nullable String device;
        private @Nullable String model;
        private @Nullable Double peakFlops;
        private long firstStep;
        private long startMillis;
        private long lastMillis;
        private @Nullable String end;
    }

    JobTimeline(JobState state) {
        this.state = state;
        counted = state.attemptsToSteps();
    }

    void take(JobRecord jobRecord) {
        if (jobRecord instanceof EventRecord happened && state.accepts(happened)) {
            add(happened.event(), happened.millis());
        }
    }

    private void add(TrainingEvent event, long millis) {
        Span span = spans.computeIfAbsent(event.attempt(), _ -> new Span());
        span.startMillis = span.startMillis == 0 ? millis : Math.min(span.startMillis, millis);
        span.lastMillis = Math.max(span.lastMillis, millis);
        switch (event) {
            case Claimed claimed -> {
                span.worker = claimed.worker();
                span.device = claimed.device();
                span.startMillis = millis;
            }
            case Started started -> {
                span.firstStep = started.firstStep();
                span.model = started.deviceModel();
                span.peakFlops = peakFlops(started);
            }
            case EpochTested tested -> {
                testMillis.put(key(tested.attempt(), tested.epoch()), millis);
                ClassMetrics.of(tested)
                        .ifPresent(
                                metrics -> macros.put(key(tested.attempt(), tested.epoch()), MacroMetrics.of(metrics)));
            }
            case CheckpointSaved saved -> {
                if (saved.step() < counted.getOrDefault(saved.attempt(), 0L)
                        && saved.uri().length() + saved.sha256().length() <= MAX_ADDRESS
                        && checkpoints.size() < MAX_CHECKPOINTS) {
                    checkpoints.put(
                            saved.step(),
                            new Checkpoint(
                                    saved.attempt(),
                                    saved.epoch(),
                                    saved.step(),
                                    saved.uri(),
                                    saved.sha256(),
                                    saved.bytes(),
                                    millis,
                                    false));
                }
            }
            case TrainingEvent.StepLosses _, Resumed _ -> {} // they neither begin nor end an attempt
            default -> span.end = event.type();
        }
    }

    private static @Nullable Double peakFlops(Started started) {
        JobSpec spec = started.spec();
        return Optional.ofNullable(started.deviceModel())
                .flatMap(model ->
                        PeakFlops.of(model, spec.precision(), spec.allDevices().size()))
                .orElse(null);
    }

    private static String key(int attempt, int epoch) {
        return attempt + "/" + epoch;
    }

    /// When an epoch was tested, Unix time in ms; 0 if unknown.
    long testMillis(JobState.Epoch epoch) {
        return testMillis.getOrDefault(key(epoch.attempt(), epoch.epoch()), 0L);
    }

    /// The means over the classes; null for regression, and if the confusion matrix is unknown.
    @Nullable
    MacroMetrics macro(JobState.Epoch epoch) {
        return macros.get(key(epoch.attempt(), epoch.epoch()));
    }

    /// Peak floating-point operations per second of an attempt's devices.
    Optional<Double> peakFlops(int attempt) {
        Span span = spans.get(attempt);
        return span == null ? Optional.empty() : Optional.ofNullable(span.peakFlops);
    }

    /// The checkpoints that the job's retention keeps. Without `keepBest`, only the best of all tests is the best:
    /// those of better checkpoints may be deleted.
    List<Checkpoint> checkpoints() {
        JobSpec spec = state.spec();
        Retention asked = spec == null ? new Retention(Integer.MAX_VALUE, false) : Retention.of(spec);
        boolean validated = state.epochs().stream().anyMatch(epoch -> epoch.part() == Part.VALIDATION);
        Retention retention = validated ? asked.withBest() : asked;
        long best = state.epochs().stream()
                .filter(epoch -> retention.deletesBest() || checkpoints.containsKey(epoch.step()))
                .filter(epoch -> !Double.isNaN(score(epoch)))
                .reduce((first, next) -> score(next) > score(first) ? next : first)
                .map(JobState.Epoch::step)
                .orElse(-1L);
        List<Checkpoint> all = List.copyOf(checkpoints.values());
        List<Checkpoint> kept = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            Checkpoint saved = all.get(i);
            boolean isBest = saved.step() == best;
            if (i >= all.size() - retention.keepLast() || (isBest && retention.keepBest())) {
                kept.add(isBest ? saved.asBest() : saved);
            }
        }
        return kept;
    }

    private double score(JobState.Epoch epoch) {
        return Metric.of(state.spec(), epoch.testAccuracy() == null).score(epoch);
    }

    List<AttemptSpan> attempts() {
        Map<Integer, Long> ends =
                state.deviceUses().stream().collect(Collectors.toMap(DeviceUse::attempt, DeviceUse::endMillis));
        List<AttemptSpan> attempts = new ArrayList<>();
        spans.forEach((number, span) -> {
            boolean runs = span.end == null
                    && number == state.attempt()
                    && !state.status().isFinal();
            attempts.add(new AttemptSpan(
                    number,
                    span.worker,
                    span.device,
                    span.model,
                    span.peakFlops,
                    span.firstStep,
                    span.startMillis,
                    runs ? null : ends.getOrDefault(number, span.lastMillis),
                    span.end));
        });
        return attempts;
    }
}
