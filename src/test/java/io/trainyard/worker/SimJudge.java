package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.event.EventJson;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.history.HistoryChecker;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import io.trainyard.worker.SimTopic.Entry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Finds violations in the history of a simulated world. The [HistoryChecker] sees only the topics; this class
/// also knows the store's content and when each process was frozen.
final class SimJudge {
    /// The longest overlap of attempts if all clocks are right: a frozen worker is late by the time that it was
    /// frozen.
    private static final Duration OVERLAP = Duration.ofMinutes(4);

    /// The same if clocks were wrong.
    private static final Duration SKEWED_OVERLAP = Duration.ofHours(5);

    /// How long a running worker may continue a job after it lost the ownership: it checks at each step, and
    /// the store may be slow.
    private static final Duration SILENT_WITHIN = Duration.ofSeconds(10);

    private final SimKafka kafka;
    private final SimStore store;
    private final SplittableRandom chance;
    private final List<JobRecord> published = new ArrayList<>();
    private final Map<Entry, JobRecord> records = new IdentityHashMap<>();
    private final Map<String, JobState> states = new HashMap<>();
    private final List<String> late = new ArrayList<>();
    private final Map<String, Integer> ends = new HashMap<>();
    private final Map<String, NavigableMap<Integer, Long>> firstSteps = new TreeMap<>(); // by job and attempt
    private final Set<String> refused = new HashSet<>();
    private final Set<String> claimedDeferrals = new HashSet<>(); // worker and place of each taken deferred command

    private Consumer<EventRecord> listener = _ -> {};
    private boolean areClocksRight = true;

    /// @param to receives each event when it is published
    void onEvent(Consumer<EventRecord> to) {
        listener = to;
    }

    SimJudge(SimKafka kafka, SimStore store) {
        this.kafka = kafka;
        this.store = store;
        this.chance = kafka.world().chance("judge");
        for (Topic topic : Topic.JOB_TOPICS) {
            SimTopic log = kafka.topic(topic);
            log.atAppend(() -> receive(topic, log, log.from(log.end() - 1, 1).getFirst()));
        }
        SimTopic ownership = kafka.topic(Topic.OWNERSHIP);
        ownership.atAppend(() -> receiveEndOfDeferral(
                ownership, ownership.from(ownership.end() - 1, 1).getFirst()));
    }

    /// A worker that publishes the end of a deferral has taken the command.
    private void receiveEndOfDeferral(SimTopic log, Entry entry) {
        String key = String.valueOf(entry.key());
        if (entry.value() == null && DeferredRecord.isKey(key)) {
            var source = record(Topic.OWNERSHIP, log, entry).entry().headers().lastHeader("ce_source");
            String place = key.substring(DeferredRecord.job(key).length() + 1);
            claimedDeferrals.add(new String(source.value(), StandardCharsets.UTF_8) + " " + place + "/deferred");
        }
    }

    private void receive(Topic topic, SimTopic log, Entry entry) {
        if (entry.value() == null || entry.key() == null) {
            return;
        }
        if (topic == Topic.DEAD_LETTER) {
            refused.add(new String(entry.value(), StandardCharsets.UTF_8));
        }
        records(record(topic, log, entry)).ifPresent(record -> {
            published.add(record);
            states.computeIfAbsent(record.job(), JobState::new).apply(record);
            records.put(entry, record);
            if (record instanceof EventRecord eventRecord) {
                receive(eventRecord);
                listener.accept(eventRecord);
            }
        });
    }

    private void receive(EventRecord eventRecord) {
        switch (eventRecord.event()) {
            case TrainingEvent.Finished _,
                    TrainingEvent.Failed _,
                    TrainingEvent.Cancelled _,
                    TrainingEvent.Expanded _ -> ends.merge(eventRecord.job(), 1, Integer::sum);
            case TrainingEvent.StepLosses _, TrainingEvent.EpochTested _, TrainingEvent.CheckpointSaved _ ->
                checkOwnership(eventRecord);
            case TrainingEvent.Claimed claimed -> checkAcceptance(claimed);
            case TrainingEvent.Started started -> recordFirstStep(started);
            default -> {} // the store or the brokers know more than these events
        }
    }

    /// Ignores a superseded attempt. It may begin at the checkpoint of a later one, which does no harm.
    private void recordFirstStep(TrainingEvent.Started started) {
        String job = started.job();
        if (store.createdNanos("%s/attempts/%d".formatted(job, started.attempt() + 1)) == null) {
            firstSteps.computeIfAbsent(job, _ -> new TreeMap<>()).put(started.attempt(), started.firstStep());
        }
    }

    /// A worker must not claim a job before the broker confirmed the command.
    private void checkAcceptance(TrainingEvent.Claimed claimed) {
        String place =
                store.chain(claimed.job()).get(claimed.attempt()) instanceof ChainLink.Owner owner ? owner.place() : "";
        if (!kafka.wasAccepted(claimed.worker(), place)
                && !claimedDeferrals.contains(CloudEvents.worker(claimed.worker()) + " " + place)) {
            late.add("job %s: attempt %d of %s trains, although its command was not accepted"
                    .formatted(claimed.job(), claimed.attempt(), claimed.worker()));
        }
    }

    /// A worker that publishes these events was running the job at that time.
    private void checkOwnership(EventRecord eventRecord) {
        TrainingEvent event = eventRecord.event();
        Long next = store.createdNanos("%s/attempts/%d".formatted(event.job(), event.attempt() + 1));
        SimProcess worker = kafka.world().known(String.valueOf(eventRecord.worker()));
        if (next == null || worker == null || !areClocksRight) {
            return;
        }
        long atNanos = 1_000_000 * (eventRecord.millis() - SimProcess.BEGINNING.toEpochMilli());
        long lateNanos = atNanos - next - worker.frozenNanos(next, atNanos);
        if (lateNanos > SILENT_WITHIN.toNanos()) {
            late.add("job %s: attempt %d of %s publishes %s %d ms after it lost the job"
                    .formatted(event.job(), event.attempt(), worker.name(), event.type(), lateNanos / 1_000_000));
        }
    }

    /// The state of a job as an observer from the beginning sees it.
    JobState state(String job) {
        return states.computeIfAbsent(job, JobState::new);
    }

    boolean isEndPublished(String job) {
        return ends.containsKey(job);
    }

    /// How often a stopping worker released the job.
    int releases(String job) {
        return (int) published.stream()
                .filter(record -> record instanceof EventRecord eventRecord
                        && eventRecord.job().equals(job)
                        && eventRecord.event() instanceof TrainingEvent.Released released
                        && released.reason().endsWith(" stops"))
                .count();
    }

    /// @param command its body
    boolean isRefused(String command) {
        return refused.contains(command);
    }

    /// Violations, as sentences.
    List<String> wrong() {
        List<String> wrong = new ArrayList<>(late.stream().limit(3).toList());
        wrong.addAll(checked());
        wrong.addAll(outcomes());
        wrong.addAll(deciders());
        wrong.addAll(lostCheckpoints());
        wrong.addAll(fresh());
        return wrong;
    }

    /// Stops relying on event times because clocks are or were wrong.
    void distrustClocks() {
        areClocksRight = false;
    }

    private List<String> checked() {
        HistoryChecker checker = new HistoryChecker(areClocksRight ? OVERLAP : SKEWED_OVERLAP, true);
        published.forEach(checker::take);
        return checker.report().wrong().stream()
                .filter(sentence -> areClocksRight || !sentence.contains(" ms after its end"))
                .toList();
    }

    /// Every published end equals the stored end.
    private List<String> outcomes() {
        List<String> wrong = new ArrayList<>();
        for (JobRecord record : published) {
            if (record instanceof EventRecord eventRecord
                    && (eventRecord.event() instanceof TrainingEvent.Finished
                            || eventRecord.event() instanceof TrainingEvent.Failed
                            || eventRecord.event() instanceof TrainingEvent.Cancelled
                            || eventRecord.event() instanceof TrainingEvent.Expanded)) {
                ChainLink.End stored = store.end(eventRecord.job());
                if (stored == null || !event(stored.event()).equals(eventRecord.event())) {
                    wrong.add("job %s: published is %s, and the store has %s"
                            .formatted(
                                    eventRecord.job(),
                                    eventRecord.event(),
                                    stored == null ? "nothing" : event(stored.event())));
                }
            }
        }
        return wrong;
    }

    /// Only the last attempt of a job ends it.
    private List<String> deciders() {
        List<String> wrong = new ArrayList<>();
        for (String job : ends.keySet()) {
            int owner = 0;
            for (var link : store.chain(job).entrySet()) {
                if (link.getValue() instanceof ChainLink.Owner) {
                    owner = link.getKey();
                } else if (link.getValue() instanceof ChainLink.End end
                        && event(end.event()).attempt() != Math.max(1, owner)) {
                    wrong.add("job %s: attempt %d has ended it, and attempt %d is later"
                            .formatted(job, event(end.event()).attempt(), owner));
                }
            }
        }
        return wrong;
    }

    /// No attempt begins at an earlier step than an attempt before it: the checkpoint of the earlier start is
    /// retained.
    private List<String> lostCheckpoints() {
        List<String> wrong = new ArrayList<>();
        firstSteps.forEach((job, steps) -> {
            long least = 0;
            for (var first : steps.entrySet()) {
                if (first.getValue() < least) {
                    wrong.add("job %s: attempt %d begins at step %d, and an earlier one began at step %d"
                            .formatted(job, first.getKey(), first.getValue(), least));
                }
                least = Math.max(least, first.getValue());
            }
        });
        return wrong;
    }

    private static TrainingEvent event(String json) {
        try {
            return EventJson.readEvent(json.getBytes(StandardCharsets.UTF_8)).event();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A new reader of the compacted topics, in any order between topics, gets the same state as an observer
    /// from the beginning.
    private List<String> fresh() {
        Map<String, JobState> live = new TreeMap<>();
        published.forEach(
                record -> live.computeIfAbsent(record.job(), JobState::new).apply(record));
        kafka.compactAll();
        Map<String, JobState> late = new TreeMap<>();
        List<List<JobRecord>> logs = new ArrayList<>();
        for (Topic topic : Topic.JOB_TOPICS) {
            SimTopic log = kafka.topic(topic);
            List<JobRecord> left = new ArrayList<>();
            for (Entry entry : log.from(log.start(), Integer.MAX_VALUE)) {
                JobRecord record = records.get(entry);
                if (record != null) {
                    left.add(record);
                }
            }
            if (!left.isEmpty()) {
                logs.add(new ArrayList<>(left.reversed()));
            }
        }
        while (!logs.isEmpty()) {
            int some = chance.nextInt(logs.size());
            List<JobRecord> log = logs.get(some);
            JobRecord next = log.removeLast();
            late.computeIfAbsent(next.job(), JobState::new).apply(next);
            if (log.isEmpty()) {
                logs.remove(some);
            }
        }
        List<String> wrong = new ArrayList<>();
        live.forEach((job, state) -> {
            Map<String, @Nullable Object> now = shown(late.get(job));
            shown(state).forEach((what, value) -> {
                if (!Objects.equals(value, now.get(what))) {
                    wrong.add("job %s: a new reader of its %s sees %s, and an observer from the beginning saw %s"
                            .formatted(job, what, now.get(what), value));
                }
            });
        });
        return wrong;
    }

    private static Map<String, @Nullable Object> shown(@Nullable JobState state) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        if (state != null) {
            shown.put("status", state.status());
            shown.put("attempt", state.attempt());
            shown.put("worker", state.worker());
            shown.put("step", state.step());
            shown.put("steps", state.steps());
            shown.put("loss", state.loss());
            shown.put("epochs", state.epochs());
            shown.put("checkpoint", state.checkpoint());
            shown.put("start", state.start());
            shown.put("reason", state.reason());
            shown.put("spec", state.startedSpec());
        }
        return shown;
    }

    private static TopicRecord record(Topic topic, SimTopic log, Entry entry) {
        return new TopicRecord(topic, log.read(entry, String.valueOf(entry.key()), Optional.empty()));
    }

    private static Optional<JobRecord> records(TopicRecord record) {
        try {
            return record.jobRecord();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
