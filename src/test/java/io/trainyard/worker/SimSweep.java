package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import io.trainyard.topics.Topic;
import io.trainyard.worker.SimKafka.Weather;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A sweep with successive halving and real workers in a simulated world. Faults are injected for two minutes,
/// except in one of four worlds. After that each trial must end, or be paused because others are better.
final class SimSweep extends SimFleet {
    private static final Duration CHAOS = Duration.ofMinutes(2);

    /// The time limit after the faults until nothing happens any more.
    private static final Duration BOUND = Duration.ofMinutes(60);

    private static final Duration LONGEST_FREEZE = Duration.ofSeconds(60);
    private static final Duration LAST_WORDS = Duration.ofSeconds(30);

    private static final String GROUP = SimTraining.Kind.HALVING.id(1);
    private static final int FACTOR = 2;
    private static final List<Integer> RUNGS = List.of(1, 2);

    /// A result at a rung.
    ///
    /// @param score null: an attempt on its way to the rung has announced itself
    private record Result(String job, int attempt, @Nullable Double score, long createdNanos) {}

    private final JobSpec sweep;
    private final List<String> trials;
    private final boolean calm; // no faults at all
    private final Set<String> left = new HashSet<>(); // attempts that have released their trials

    /// @param seams the layer between the workers and the world
    SimSweep(long seed, SimSeams seams) {
        super(seed, "sweep", seams);
        calm = chance.nextInt(4) == 0;
        int count = 4 + chance.nextInt(5);
        String seeds =
                chance.ints(0, 100).distinct().limit(count).boxed().toList().toString();
        sweep = JobJson.read("""
                {"id": "%s", "network": "signs", "dataset": "shapes64", "epochs": 4, "batchSize": 8, "keepLast": 1,
                 "asha": {"minEpochs": 1, "reductionFactor": %d}, "sweep": {"seed": %s}}""".formatted(GROUP, FACTOR, seeds).getBytes(StandardCharsets.UTF_8));
        trials = Trials.of(sweep).stream().map(JobSpec::id).toList();
        judge.onEvent(event -> {
            if (event.event() instanceof Paused || event.event() instanceof Released) {
                left.add(attempt(event.job(), event.event().attempt()));
            }
        });
    }

    private static String attempt(String job, int number) {
        return "%s/attempts/%d".formatted(job, number);
    }

    /// Runs the world.
    ///
    /// @return violations, as sentences
    List<String> run() {
        kafka.weather(calm ? Weather.CALM : new Weather(Duration.ofMillis(50), chance.nextInt(3) * 0.1, 0.01));
        perils.share(calm ? 0 : List.of(0.0, 0.002, 0.01).get(chance.nextInt(3)));
        for (int copies = 1 + chance.nextInt(2); copies > 0; copies--) {
            SimTimer _ = world.after(
                    within(CHAOS.dividedBy(4)),
                    () -> people.submit(GROUP, JobJson.command(sweep).json().toString()));
        }
        for (int size = 1 + chance.nextInt(4); size > 0; size--) {
            startWorker();
        }
        for (int i = 0; i < 10 && !calm; i++) {
            SimTimer _ = world.after(within(CHAOS), this::goWrong);
        }
        world.run(CHAOS);
        recover();
        if (!world.runUntil(world.everySecond(this::isQuiet), BOUND)) {
            trials.stream()
                    .filter(job -> !isOver(job))
                    .forEach(job -> pausedWrongly(job).ifPresent(wrong::add));
        }
        world.run(LONGEST_FREEZE.plus(LAST_WORDS));
        trials.forEach(job -> wrong.addAll(passages(job)));
        if (calm) {
            trials.forEach(job -> takenAway(job).ifPresent(wrong::add));
        }
        trials.forEach(job -> people.desiredState(job, DesiredState.CANCEL));
        if (!world.runUntil(world.everySecond(() -> trials.stream().allMatch(this::isOver) && isOver(GROUP)), BOUND)) {
            wrong.add("paused trials cannot be cancelled, or the sweep does not end");
        }
        world.run(LAST_WORDS);
        wrong.addAll(judge.wrong());
        return wrong;
    }

    SimWorld world() {
        return world;
    }

    private void goWrong() {
        switch (chance.nextInt(10)) {
            case 0, 1, 2 -> some().process().crash();
            case 3 -> some().stop();
            case 4 -> some().process().freeze(Duration.ofSeconds(List.of(3, 40).get(chance.nextInt(2))));
            case 5 -> kafka.restart(Duration.ofSeconds(5));
            case 6 -> kafka.compactSomething();
            case 7 -> store.slow(Duration.ofMillis(chance.nextInt(1000)));
            case 8 -> {
                store.trouble(SimStore.Trouble.FULL);
                SimTimer _ = world.after(within(Duration.ofSeconds(20)), () -> store.trouble(SimStore.Trouble.NONE));
            }
            default ->
                people.desiredState(
                        trials.get(chance.nextInt(trials.size())),
                        chance.nextBoolean() ? DesiredState.PAUSE : DesiredState.RUN);
        }
    }

    private void recover() {
        endFaults();
        store.slow(Duration.ofMillis(5));
        store.trouble(SimStore.Trouble.NONE);
        trials.forEach(job -> people.desiredState(job, DesiredState.RUN));
    }

    @Override
    boolean isOver(String job) {
        return store.end(job) != null && kafka.newest(Topic.OWNERSHIP, job).isEmpty();
    }

    private boolean isQuiet() {
        return trials.stream().allMatch(job -> isOver(job) || pausedWrongly(job).isEmpty());
    }

    /// Why a job that has not ended must not be paused; empty if it is paused rightly.
    private Optional<String> pausedWrongly(String job) {
        JobState state = judge.state(job);
        if (state.status() != Status.PAUSED || state.rung() == null) {
            return Optional.of("job %s is neither over nor paused, but %s".formatted(job, state.status()));
        }
        int rung = RUNGS.stream()
                .filter(one -> result(one, job) != null)
                .max(Comparator.naturalOrder())
                .orElse(0);
        if (rung == 0) {
            return Optional.of("job %s is paused without a result".formatted(job));
        }
        return best(rung, Long.MAX_VALUE).contains(job)
                ? Optional.of("job %s is paused at rung %d, and is among the best".formatted(job, rung))
                : Optional.empty();
    }

    /// The results that counted at a time: the newest attempt's entry of each job, if it is a result.
    private List<Result> results(int rung, long nanos) {
        String folder = "%s/rungs/%d/".formatted(GROUP, rung);
        Map<String, Result> newest = new TreeMap<>();
        for (String key : store.keys()) {
            long created = key.startsWith(folder) ? Objects.requireNonNull(store.createdNanos(key)) : Long.MAX_VALUE;
            if (created < Long.MAX_VALUE && created <= nanos) {
                String[] parts = key.substring(folder.length()).split("~", 3);
                Double score = parts.length < 3
                        ? null
                        : parts[2].equals("failed") ? Double.NEGATIVE_INFINITY : Double.parseDouble(parts[2]);
                Result result = new Result(parts[0], Integer.parseInt(parts[1]), score, created);
                newest.merge(
                        parts[0],
                        result,
                        (one, other) -> one.attempt() == other.attempt()
                                ? one.score() == null ? other : one
                                : one.attempt() > other.attempt() ? one : other);
            }
        }
        return newest.values().stream().filter(result -> result.score() != null).toList();
    }

    private @Nullable Result result(int rung, String job) {
        return results(rung, Long.MAX_VALUE).stream()
                .filter(result -> result.job().equals(job))
                .findFirst()
                .orElse(null);
    }

    /// The trials that were to continue, judged by the results at a time.
    private Set<String> best(int rung, long nanos) {
        List<Result> there = results(rung, nanos).stream()
                .sorted(Comparator.comparingDouble((Result result) -> Objects.requireNonNull(result.score()))
                        .reversed()
                        .thenComparing(Result::job))
                .toList();
        Set<String> best = new HashSet<>();
        there.subList(0, there.size() / FACTOR).stream()
                .filter(result -> Double.isFinite(Objects.requireNonNull(result.score())))
                .forEach(result -> best.add(result.job()));
        return best;
    }

    /// In a calm world an attempt begins only after the one before released its trial.
    private Optional<String> takenAway(String job) {
        SortedMap<Integer, ChainLink> chain = store.chain(job);
        return chain.keySet().stream()
                .filter(number -> chain.get(number) instanceof ChainLink.Owner
                        && chain.get(number + 1) instanceof ChainLink.Owner
                        && !left.contains(attempt(job, number)))
                .map(number ->
                        "job %s: attempt %d starts, and the one before was not released".formatted(job, number + 1))
                .findFirst();
    }

    /// A trial that trained beyond a rung was among the best there at some earlier time; failed trials count.
    private List<String> passages(String job) {
        List<String> wrong = new ArrayList<>();
        for (int rung : RUNGS) {
            Result here = result(rung, job);
            Result next = result(rung + 1, job);
            Long ended = store.endedNanos(job);
            Long until = next == null ? ended : Long.valueOf(next.createdNanos());
            if (here == null && ended != null) {
                wrong.add("job %s has ended without a result at rung %d".formatted(job, rung));
            }
            if (here == null || until == null || !Double.isFinite(Objects.requireNonNull(here.score()))) {
                return wrong;
            }
            boolean passed = Stream.concat(
                            Stream.of(here.createdNanos()),
                            store.keys().stream()
                                    .filter(key -> key.startsWith("%s/rungs/%d/".formatted(GROUP, rung)))
                                    .map(store::createdNanos)
                                    .map(Objects::requireNonNull))
                    .mapToLong(Long::longValue)
                    .filter(nanos -> nanos >= here.createdNanos() && nanos <= until)
                    .anyMatch(nanos -> best(rung, nanos).contains(job));
            if (!passed) {
                wrong.add("job %s goes on after rung %d, and was never among its best".formatted(job, rung));
            }
        }
        return wrong;
    }
}
