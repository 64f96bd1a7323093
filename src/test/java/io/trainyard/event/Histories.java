package io.trainyard.event;

import static io.trainyard.event.SampleEvents.cancelled;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.paused;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.resumed;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;

import io.trainyard.event.JobRecord.EventRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/// Random histories of one job as correct workers publish them. There are several attempts; each resumes from
/// an earlier checkpoint, and is killed, released or paused, or ends the job. Some superseded attempts continue
/// for a while, and some events are republished. Each topic is in order of publication; there is no order
/// between topics.
public final class Histories {
    public static final String JOB = "a";

    private static final int STEPS_PER_EPOCH = 10;
    private static final int STEPS = 20;

    private final Random random;
    private final Map<String, List<EventRecord>> topics = new LinkedHashMap<>();
    private long nowMillis = SampleEvents.TIME.toEpochMilli();
    private long savedStep;

    /// Publishes the events of an older attempt after the newer one has begun.
    private Runnable lateEvents = () -> {};

    private Histories(Random random) {
        this.random = random;
        List.of("jobs", "steps", "accuracy", "checkpoints").forEach(topic -> topics.put(topic, new ArrayList<>()));
    }

    /// The same seed gives the same history: a list per topic, compacted topics first.
    public static List<List<EventRecord>> of(long seed) {
        return new Histories(new Random(seed)).publishAll();
    }

    private List<List<EventRecord>> publishAll() {
        int attempts = 1 + random.nextInt(4);
        for (int attempt = 1; attempt <= attempts; attempt++) {
            long from = savedStep + 1;
            publish(claimed(JOB, attempt));
            if (random.nextInt(8) == 0) {
                continue; // died before its start
            }
            publish(started(JOB, attempt, from));
            lateEvents.run();
            lateEvents = () -> {};
            boolean last = attempt == attempts;
            boolean finishes = last && random.nextBoolean();
            long to = finishes ? STEPS : from + random.nextInt((int) (STEPS - from + 2)) - 1;
            long reached = train(attempt, from, to);
            end(attempt, reached, last, finishes);
        }
        return List.of(topic("jobs"), topic("checkpoints"), topic("steps"), topic("accuracy"));
    }

    private void end(int attempt, long reached, boolean last, boolean finishes) {
        if (finishes) {
            publish(finished(JOB, attempt, STEPS));
            if (random.nextBoolean()) {
                republish(topic("jobs").getLast()); // a republished outcome has its original time
            }
            return;
        }
        switch (random.nextInt(last ? 6 : 4)) {
            case 0 -> publish(released(JOB, attempt, savedStep, "worker w" + attempt + " stops"));
            case 1 -> {
                publish(paused(JOB, attempt, savedStep));
                publish(resumed(JOB, attempt));
                if (random.nextBoolean()) {
                    publish(paused(JOB, attempt, savedStep));
                }
            }
            case 2 -> lateEvents = () -> continueSuperseded(attempt, reached);
            case 3 -> {} // killed
            case 4 -> publish(failed(JOB, attempt, "the loss is NaN"));
            default -> publish(cancelled(JOB, attempt, reached));
        }
    }

    /// A worker that does not know yet that it has lost the job.
    private void continueSuperseded(int attempt, long reached) {
        long savedBefore = savedStep;
        long end = train(attempt, reached + 1, Math.min(STEPS, reached + random.nextInt(8)));
        publish(released(JOB, attempt, end, "too late"));
        savedStep = savedBefore;
    }

    /// @return the last published step
    private long train(int attempt, long from, long to) {
        long step = from - 1;
        while (step < to) {
            int epoch = (int) (step / STEPS_PER_EPOCH);
            long end = Math.min(Math.min(to, (epoch + 1L) * STEPS_PER_EPOCH), step + 1 + random.nextInt(6));
            publish(losses(JOB, attempt, epoch, step + 1, (int) (end - step)));
            step = end;
            boolean epochEnds = step % STEPS_PER_EPOCH == 0;
            if (epochEnds) {
                publish(tested(JOB, attempt, epoch, step, 0.5 + 0.1 * epoch));
            }
            if (epochEnds || random.nextInt(4) == 0) {
                publish(saved(JOB, attempt, epoch, step));
                savedStep = step;
            }
        }
        return step;
    }

    private void publish(TrainingEvent event) {
        List<EventRecord> topic = topicOf(event);
        nowMillis += 1 + random.nextInt(1000);
        topic.add(new EventRecord(event, nowMillis, "w" + event.attempt(), topic.size()));
        if (random.nextInt(10) == 0) {
            republish(topic.getLast());
        }
    }

    private void republish(EventRecord record) {
        List<EventRecord> topic = topicOf(record.event());
        topic.add(new EventRecord(record.event(), record.millis(), record.worker(), topic.size()));
    }

    private List<EventRecord> topicOf(TrainingEvent event) {
        return topic(
                switch (event) {
                    case TrainingEvent.StepLosses _ -> "steps";
                    case TrainingEvent.EpochTested _ -> "accuracy";
                    case TrainingEvent.CheckpointSaved _ -> "checkpoints";
                    default -> "jobs";
                });
    }

    private List<EventRecord> topic(String name) {
        return topics.getOrDefault(name, List.of());
    }

    /// A possible order in which the topics are read, with parts that are read again.
    public static List<EventRecord> read(List<List<EventRecord>> topics, Random random) {
        List<List<EventRecord>> remaining = new ArrayList<>();
        for (List<EventRecord> topic : topics) {
            List<EventRecord> whole = new ArrayList<>(topic);
            if (random.nextInt(3) == 0 && !topic.isEmpty()) { // a consumer that loses its position
                int lost = random.nextInt(topic.size());
                whole = new ArrayList<>(topic.subList(0, lost));
                whole.addAll(topic.subList(random.nextInt(lost + 1), topic.size()));
            }
            remaining.add(whole);
        }
        List<EventRecord> read = new ArrayList<>();
        while (remaining.stream().anyMatch(topic -> !topic.isEmpty())) {
            List<EventRecord> topic = remaining.get(random.nextInt(remaining.size()));
            for (int i = random.nextInt(8); i > 0 && !topic.isEmpty(); i--) {
                read.add(topic.removeFirst());
            }
        }
        return read;
    }

    /// The least that compaction retains: the newest record of each attempt and type.
    public static List<List<EventRecord>> compacted(List<List<EventRecord>> topics) {
        return Stream.concat(
                        topics.subList(0, 2).stream().map(Histories::newestOfEachKey),
                        topics.stream().skip(2))
                .toList();
    }

    private static List<EventRecord> newestOfEachKey(List<EventRecord> topic) {
        Map<String, EventRecord> newest = new LinkedHashMap<>();
        for (EventRecord record : topic) {
            String key = record.event().attempt() + "/" + record.event().type();
            newest.remove(key);
            newest.put(key, record);
        }
        return List.copyOf(newest.values());
    }
}
