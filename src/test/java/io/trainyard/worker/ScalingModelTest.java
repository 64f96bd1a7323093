package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.scaling.FleetReplay;
import io.trainyard.scaling.FleetReplay.Order;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Topic;
import io.trainyard.worker.SimKafka.Weather;
import io.trainyard.worker.SimTraining.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The model of a fleet that scales, held to real workers in a simulated world: the same commands, the same workers
/// started and told to stop, and each job begins, and goes on after it was given back, when the model says.
@ExtendWith(SilentWorkers.class)
class ScalingModelTest {
    /// Workers join their groups within five seconds, and look again after a second.
    private static final Duration TOLERANCE = Duration.ofSeconds(10);

    private static final Duration LONG_ENOUGH = Duration.ofHours(6);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void jobsBeginWhenTheModelSays(long seed) {
        SplittableRandom chance = new SplittableRandom(seed);
        SimWorld world = new SimWorld(seed);
        world.allow(100_000_000);
        SimShareGroup.Limits limits = new SimShareGroup.Limits(Duration.ofSeconds(15), 10, 2000);
        SimKafka kafka = new SimKafka(world, "", limits);
        kafka.weather(Weather.CALM);
        SimStore store = new SimStore(world, "disk");
        store.slow(Duration.ofMillis(5));
        SimWorker.Fleet fleet = new SimWorker.Fleet(
                kafka, new SimPerils(world, () -> {}), SimSeams.NONE, limits, Duration.ofSeconds(2));
        List<Order> orders = orders(chance);
        Map<Integer, SimWorker> workers = new HashMap<>();
        for (Order order : orders) {
            SimTimer _ = world.after(Duration.ofMillis(order.atMillis()), () -> {
                switch (order) {
                    case Order.Submit submit -> publish(kafka, submit);
                    case Order.Start start -> {
                        SimWorker worker = new SimWorker(world.process("w" + start.worker()), fleet, store, false);
                        workers.put(start.worker(), worker);
                        worker.start();
                    }
                    case Order.Stop stop ->
                        holder(kafka.topic(Topic.JOBS), stop.job())
                                .map(workers::get)
                                .ifPresent(SimWorker::stop);
                }
            });
        }
        SimTopic log = kafka.topic(Topic.JOBS);
        Set<Integer> ended = new HashSet<>();
        log.atAppend(() -> told(log, log.end() - 1, Finished.class).forEach(one -> ended.add(number(one.event()))));
        long submitted = orders.stream().filter(Order.Submit.class::isInstance).count();
        assertThat(world.runUntil(() -> ended.size() == submitted, LONG_ENOUGH)).isTrue();

        List<FleetReplay.Begun> real = begun(log);
        List<FleetReplay.Begun> model = FleetReplay.run(orders, work(real, log));
        assertThat(model).hasSameSizeAs(real);
        for (int job = 0; job < submitted; job++) {
            assertThat(starts(job, model))
                    .as("job %d of %s, in the world %s", job, model, real)
                    .usingElementComparator((a, b) -> Math.abs(a - b) <= TOLERANCE.toMillis() ? 0 : Long.compare(a, b))
                    .containsExactlyElementsOf(starts(job, real));
        }
    }

    private static List<Long> starts(int job, List<FleetReplay.Begun> begun) {
        return begun.stream()
                .filter(one -> one.job() == job)
                .map(FleetReplay.Begun::atMillis)
                .toList();
    }

    /// The number of the worker that has a job at present; empty where none has.
    private static Optional<Integer> holder(SimTopic log, int job) {
        boolean ended = told(log, Finished.class).stream().anyMatch(one -> number(one.event()) == job);
        return ended
                ? Optional.empty()
                : told(log, Claimed.class).stream()
                        .filter(one -> number(one.event()) == job)
                        .reduce((_, later) -> later)
                        .map(one -> Integer.valueOf(one.event().worker().substring(1)));
    }

    /// Twelve jobs, and four workers that cannot keep up; up to two are told to stop in the middle of a job.
    private static List<Order> orders(SplittableRandom chance) {
        List<Order> orders = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            orders.add(new Order.Submit(60_000L * (1 + i), i, chance.nextInt(3)));
        }
        for (int w = 0; w < 4; w++) {
            orders.add(new Order.Start(30_000L + 200_000L * w * chance.nextInt(2), w));
        }
        for (int job = 0; job < 2; job++) { // of four workers
            orders.add(new Order.Stop(60_000L * (4 + job), job));
        }
        return orders;
    }

    private static void publish(SimKafka kafka, Order.Submit submit) {
        Topic topic = List.of(Topic.COMMANDS_HIGH, Topic.COMMANDS_NORMAL, Topic.COMMANDS_LOW)
                .get(submit.urgency());
        String job = Kind.MINUTES.id(submit.job());
        kafka.publish(new ProducerRecord<>(
                topic.name(""),
                null,
                (Long) null,
                job.getBytes(StandardCharsets.UTF_8),
                // the model knows no preemption
                SimTraining.command(job)
                        .replace("\"preemptible\":true", "\"preemptible\":false")
                        .getBytes(StandardCharsets.UTF_8),
                CloudEvents.headers(CloudEvents.COMMAND, "/simulation", Instant.EPOCH)));
    }

    private record Heard<T>(T event, long atMillis) {}

    private static <T extends TrainingEvent> List<Heard<T>> told(SimTopic log, Class<T> type) {
        return told(log, log.start(), type);
    }

    private static <T extends TrainingEvent> List<Heard<T>> told(SimTopic log, long offset, Class<T> type) {
        List<Heard<T>> told = new ArrayList<>();
        for (SimTopic.Entry entry : log.from(offset, Integer.MAX_VALUE)) {
            try {
                TrainingEvent event = EventJson.readEvent(Objects.requireNonNull(entry.value()))
                        .event();
                if (type.isInstance(event)) {
                    told.add(new Heard<>(type.cast(event), entry.millis() - SimProcess.BEGINNING.toEpochMilli()));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return told;
    }

    private static int number(TrainingEvent event) {
        return Integer.parseInt(event.job().replaceFirst(".*-", ""));
    }

    private static List<FleetReplay.Begun> begun(SimTopic log) {
        return told(log, Claimed.class).stream()
                .map(claimed -> new FleetReplay.Begun(number(claimed.event()), claimed.atMillis()))
                .toList();
    }

    /// How long each job ran, all attempts together: chance decides it in that world.
    private static Map<Integer, Long> work(List<FleetReplay.Begun> begun, SimTopic log) {
        Map<Integer, Long> work = new HashMap<>();
        begun.forEach(one -> work.merge(one.job(), -one.atMillis(), Long::sum));
        Set<List<Integer>> given = new HashSet<>(); // back; it may be told again
        told(log, Released.class).stream()
                .filter(one ->
                        given.add(List.of(number(one.event()), one.event().attempt())))
                .forEach(one -> work.merge(number(one.event()), one.atMillis(), Long::sum));
        Set<Integer> ended = new HashSet<>();
        told(log, Finished.class).stream()
                .filter(one -> ended.add(number(one.event())))
                .forEach(one -> work.merge(number(one.event()), one.atMillis(), Long::sum));
        return work;
    }
}
