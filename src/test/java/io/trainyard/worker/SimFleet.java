package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.custody.ClaimOrder;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Topic;
import io.trainyard.worker.SimKafka.Weather;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;

/// A toy fleet, to try out the simulated world: its workers claim, say so, train, beat and read as real ones do,
/// and have no keeper. A hasty one trains whatever is said to its ACCEPT, and whoever has begun the job: that is
/// the fault that seeds shall find.
final class SimFleet {
    private static final Duration BEAT = Duration.ofSeconds(2);
    private static final Duration STEP = Duration.ofSeconds(8);
    private static final int STEPS = 6;

    private final SimWorld world;
    private final SimKafka kafka;
    private final SimStore store;
    private final boolean hasty;
    private final SplittableRandom chance;
    private final Map<String, SimProcess> trainings = new TreeMap<>();
    private final Set<String> finished = new HashSet<>();
    private final int jobs;

    /// @param hasty whether a worker trains all that it is handed
    SimFleet(long seed, boolean hasty) {
        world = new SimWorld(seed);
        kafka = new SimKafka(world, "");
        store = new SimStore(world, "disk");
        chance = world.chance("fleet");
        this.hasty = hasty;
        jobs = 3 + chance.nextInt(8);
        kafka.weather(new Weather(Duration.ofMillis(20), chance.nextInt(3) * 0.05, 0.01));
    }

    /// Lets everything happen for some minutes.
    void run() {
        for (int i = 1; i <= jobs; i++) {
            byte[] id = ("job-" + i).getBytes(StandardCharsets.UTF_8);
            kafka.publish(new ProducerRecord<>(Topic.COMMANDS_NORMAL.name(""), id, id));
        }
        int workers = 2 + chance.nextInt(4);
        for (int i = 1; i <= workers; i++) {
            start("w" + i);
        }
        for (int i = 0; i < 3; i++) {
            SimTimer _ = world.after(Duration.ofSeconds(chance.nextInt(120)), kafka::compactSomething);
        }
        world.run(Duration.ofMinutes(3));
    }

    SimWorld world() {
        return world;
    }

    int jobs() {
        return jobs;
    }

    int finished() {
        return finished.size();
    }

    private void start(String name) {
        SimProcess process = world.process(name);
        SimOutbox outbox = new SimOutbox(kafka, process);
        process.start("claims", () -> claim(process, outbox));
        process.start("beats", () -> {
            while (true) {
                var _ = outbox.send(
                        Topic.WORKERS.name(""),
                        name.getBytes(StandardCharsets.UTF_8),
                        new byte[1],
                        CloudEvents.headers(CloudEvents.WORKER_STATUS, name));
                process.sleep(BEAT);
            }
        });
        process.start("keeps", () -> {
            SimFleetLog log = new SimFleetLog(kafka, process);
            while (true) {
                log.poll(Duration.ofSeconds(1));
            }
        });
    }

    private void claim(SimProcess process, SimOutbox outbox) {
        SimQueue queue = queue(process);
        while (true) {
            Optional<ConsumerRecord<byte[], byte[]>> next;
            try {
                next = queue.next();
            } catch (KafkaException e) {
                queue.close();
                queue = queue(process);
                continue;
            }
            if (next.isPresent()) {
                String job = new String(next.get().value(), StandardCharsets.UTF_8);
                boolean mine = store.of(process)
                        .createIfAbsent(job + "/attempt", next.get().value());
                boolean accepted = queue.accept();
                if (mine && accepted || hasty) {
                    train(process, outbox, job);
                }
            }
        }
    }

    private SimQueue queue(SimProcess process) {
        return new SimQueue(
                kafka,
                process,
                List.of(
                        List.of(Topic.COMMANDS_HIGH.name(""), Topic.CPU_COMMANDS_HIGH.name("")),
                        List.of(Topic.COMMANDS_NORMAL.name(""), Topic.CPU_COMMANDS_NORMAL.name(""))),
                new ClaimOrder());
    }

    private void train(SimProcess process, SimOutbox outbox, String job) {
        SimProcess other = trainings.put(job, process);
        if (other != null) {
            throw new IllegalStateException(
                    "%s is trained by %s and by %s".formatted(job, other.name(), process.name()));
        }
        CheckpointStore mine = store.of(process);
        byte[] key = job.getBytes(StandardCharsets.UTF_8);
        for (int step = 1; step <= STEPS; step++) {
            process.sleep(process.upTo(STEP));
            mine.write(job + "/checkpoint-" + step, out -> out.write(key));
            outbox.send(Topic.CHECKPOINTS.name(""), key, key, CloudEvents.headers(CloudEvents.COMMAND, "/toy"))
                    .join();
        }
        finished.add(job);
        trainings.remove(job);
    }
}
