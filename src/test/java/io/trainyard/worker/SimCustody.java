package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.event.Control.Wish;
import io.trainyard.event.EventJson;
import io.trainyard.topics.Topic;
import io.trainyard.worker.SimKafka.Weather;
import io.trainyard.worker.SimTraining.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/// A fleet of real workers in a simulated world. In most worlds everything goes wrong first that a seed can think
/// of, then all is well, and each job has to come to its end; in some, nothing goes wrong but that commands come
/// twice, and each job has to be done in one attempt; in some a job that takes hours must not be in the way of
/// the
/// others.
final class SimCustody {
    /// How long things go wrong.
    private static final Duration CHAOS = Duration.ofMinutes(2);

    private static final int FAULTS = 12;

    /// As the embedded broker is set. With Kafka's default of 5 some seeds lose a command that nobody could
    /// claim five
    /// times in a row.
    private static final int DELIVERIES = 10;

    /// How long it may take, after that, until each job has ended: the longest that a copy may have to wait for
    /// its
    /// next one after so short a time, and the time to run all jobs one after another.
    static final Duration BOUND = Duration.ofMinutes(40);

    /// The same where nothing goes wrong.
    private static final Duration CALM_BOUND = Duration.ofMinutes(5);

    /// The longest that somebody stands still.
    private static final Duration LONGEST_FREEZE = Duration.ofSeconds(100);

    /// What is on its way when the last job has ended, and the last to stand still goes on, arrives within it.
    private static final Duration LAST_WORDS = Duration.ofSeconds(20);

    /// Who lacked something takes no command for a minute, be it one to be put aside.
    private static final Duration LAST_REFUSALS = Duration.ofMinutes(5);

    /// From then on all workers of a calm world know one another.
    private static final Duration ACQUAINTED = Duration.ofSeconds(15);

    /// Of the store, in a claim: 20, and some more each time that another process appends to the chain first.
    private static final int MAX_CALLS = 30;

    /// Brokers refuse the first and take the others, by which a worker is not to claim either.
    private static final List<Duration> WRONG_CLOCKS =
            List.of(Duration.ofHours(2), Duration.ofHours(-2), Duration.ofMinutes(20));

    /// How long a worker may take until it notices that its clock is wrong.
    private static final Duration NOTICED = Duration.ofSeconds(30);

    private record WrongClock(SimProcess process, long fromNanos, long toNanos) {
        /// Whether the worker should know it by then.
        boolean isKnown(String worker, long nanos) {
            return process.name().equals(worker)
                    && nanos < toNanos
                    && nanos - fromNanos - process.frozenNanos(fromNanos, nanos) > NOTICED.toNanos();
        }
    }

    private enum Mood {
        CHAOS,
        CALM,
        /// And one worker has another store, which it must not use.
        CALM_WITH_A_STRANGER,
        /// And one worker has a wrong clock, or cannot publish.
        CALM_WITH_A_MUTE,
        LONG_FIRST;

        boolean isCalm() {
            return this == CALM || this == CALM_WITH_A_STRANGER || this == CALM_WITH_A_MUTE;
        }
    }

    private final SimWorld world;
    private final SimSeams seams;
    private final SimKafka kafka;
    private final SimPeople people;
    private final SimStore store;
    private final SimStore otherStore;
    private final SimJudge judge;
    private final SimPerils perils;
    private final SimWorker.Fleet fleet;
    private final SplittableRandom chance;
    private final SplittableRandom slots;
    private final SplittableRandom faults;
    private final int watched; // by each worker, at most
    private final Mood mood;
    private final List<String> jobs = new ArrayList<>();
    private final List<String> mustEnd = new ArrayList<>(); // within the bound
    private final Set<String> commands = new TreeSet<>(); // the bodies of all
    private final Set<String> commanded = new TreeSet<>(); // jobs
    private final Set<String> lost = new TreeSet<>(); // jobs, in calm worlds
    private final List<SimWorker> workers = new ArrayList<>();
    private final List<WrongClock> wrongClocks = new ArrayList<>();
    private boolean chaos;
    private boolean stops; // one worker, in a calm world
    private int started;

    SimCustody(long seed) {
        this(seed, SimSeams.NONE);
    }

    /// @param seams what is put between the workers and the world
    SimCustody(long seed, SimSeams seams) {
        this.seams = seams;
        world = new SimWorld(seed);
        chance = world.chance("custody");
        slots = world.chance("slots");
        faults = world.chance("faults");
        watched = faults.nextInt(4) == 0 ? 2 : 200_000;
        mood = mood();
        var limits = seams.limits(new SimShareGroup.Limits(
                Duration.ofSeconds(15), DELIVERIES, List.of(3, 10, 2000).get(chance.nextInt(3))));
        kafka = new SimKafka(world, "", limits);
        people = new SimPeople(kafka);
        store = new SimStore(world, "disk");
        otherStore = new SimStore(world, "other disk");
        store.staleLists(seams.listLag());
        judge = new SimJudge(kafka, store);
        perils = new SimPerils(world, this::cutPower);
        fleet = new SimWorker.Fleet(kafka, perils, seams, limits, Duration.ofSeconds(2));
    }

    private Mood mood() {
        return switch (chance.nextInt(16)) {
            case 0, 1 -> Mood.CALM;
            case 2 -> Mood.CALM_WITH_A_STRANGER;
            case 3 -> Mood.LONG_FIRST;
            case 4 -> Mood.CALM_WITH_A_MUTE;
            default -> Mood.CHAOS;
        };
    }

    SimWorld world() {
        return world;
    }

    /// Lets everything happen.
    ///
    /// @return what is wrong, in sentences
    List<String> run() {
        SimTimer _ = world.after(within(CHAOS), () -> seams.happen(kafka));
        boolean calm = mood.isCalm();
        if (calm) {
            beCalm();
        } else {
            beWild();
        }
        boolean ended = world.runUntil(world.everySecond(this::isOver), calm ? CALM_BOUND : BOUND);
        List<String> wrong = new ArrayList<>();
        if (!ended) {
            mustEnd.stream().filter(job -> !isOver(job)).forEach(job -> wrong.add("job " + job + " does not end"));
        }
        if (mood == Mood.LONG_FIRST) {
            jobs.forEach(job -> people.wish(job, Wish.CANCEL));
            if (!world.runUntil(world.everySecond(() -> jobs.stream().allMatch(this::isOver)), BOUND)) {
                wrong.add("the long job does not end");
            }
        }
        var _ = world.runUntil(
                world.everySecond(() ->
                        workers.stream().noneMatch(worker -> worker.process().isFrozen())),
                LONGEST_FREEZE);
        world.run(LAST_WORDS);
        if (!refusals().isEmpty()) {
            world.run(LAST_REFUSALS);
        }
        wrong.addAll(judge.wrong());
        wrong.addAll(refusals());
        if (calm) {
            wrong.addAll(wasted());
        }
        wrong.addAll(claimedByWrongClocks());
        if (perils.mostCalls() > MAX_CALLS) {
            wrong.add("a claim has called the store %d times".formatted(perils.mostCalls()));
        }
        return wrong;
    }

    private void beWild() {
        kafka.weather(new Weather(Duration.ofMillis(50), chance.nextInt(3) * 0.1, 0.01));
        perils.share(List.of(0.0, 0.002, 0.01, 0.03).get(chance.nextInt(4)));
        chaos = true;
        if (mood == Mood.LONG_FIRST) {
            String job = Kind.LONG.id(0);
            jobs.add(job);
            command(job);
        }
        int count = 1 + chance.nextInt(6);
        for (int i = 1; i <= count; i++) {
            Kind kind = List.of(Kind.JOB, Kind.JOB, Kind.JOB, Kind.SICK, Kind.STUCK, Kind.PICKY)
                    .get(chance.nextInt(mood == Mood.LONG_FIRST ? 5 : 6)); // whoever can do it may be busy for hours
            submit(kind.id(i), chance.nextInt(3) == 0 ? 2 : 1, Duration.ZERO, CHAOS);
        }
        spoil(Duration.ZERO, CHAOS);
        int size = (mood == Mood.LONG_FIRST ? 2 : 1) + chance.nextInt(4);
        for (int i = 0; i < size; i++) {
            startWorker();
        }
        for (int i = 0; i < FAULTS; i++) {
            SimTimer _ = world.after(within(CHAOS), this::goWrong);
        }
        for (int i = faults.nextInt(4); i > 0; i--) {
            SimTimer _ = world.after(Duration.ofSeconds(faults.nextInt(120)), this::disturb);
        }
        world.run(CHAOS);
        recover();
    }

    /// Commands come up to three times, before their job has ended and after it; workers stand still for
    /// moments, and
    /// one may be told to stop.
    private void beCalm() {
        kafka.weather(new Weather(Duration.ofMillis(50), 0, 0));
        store.slow(Duration.ofMillis(chance.nextInt(200)));
        int size = 2 + chance.nextInt(3);
        for (int i = 0; i < size; i++) {
            startWorker();
        }
        if (mood == Mood.CALM_WITH_A_STRANGER) {
            SimTimer _ = world.after(Duration.ofSeconds(2), this::startStranger);
        }
        if (mood == Mood.CALM_WITH_A_MUTE) {
            startMute();
        }
        int count = 1 + chance.nextInt(5);
        for (int i = 1; i <= count; i++) {
            Kind kind = List.of(Kind.JOB, Kind.SICK, Kind.PICKY).get(chance.nextInt(3));
            submit(kind.id(i), 1 + chance.nextInt(3), ACQUAINTED, CHAOS.dividedBy(2));
        }
        spoil(ACQUAINTED, CHAOS.dividedBy(2));
        for (int i = 0; i < 6; i++) {
            SimTimer _ = world.after(within(CHAOS), () -> some().process().freeze(Duration.ofSeconds(3)));
        }
        for (int i = faults.nextInt(3); i > 0; i--) {
            SimTimer _ = world.after(
                    Duration.ofSeconds(20 + faults.nextInt(100)),
                    () -> some().process().loseConnections());
        }
        stops = slots.nextBoolean();
        if (stops) {
            SimTimer _ = world.after(ACQUAINTED.plus(within(CHAOS.dividedBy(2))), () -> some().stop());
        }
        boolean _ = world.runUntil(world.everySecond(this::isAnyLost), CHAOS);
    }

    /// Whether a command of a job that has not ended is in no topic, and the job is not owned.
    private boolean isAnyLost() {
        if (kafka.lag() == 0) {
            commanded.stream()
                    .filter(job -> store.end(job) == null
                            && kafka.newest(Topic.CUSTODY, job).isEmpty())
                    .forEach(lost::add);
        }
        return !lost.isEmpty();
    }

    private Duration within(Duration most) {
        return Duration.ofNanos((long) (most.toNanos() * chance.nextDouble()));
    }

    private void submit(String job, int copies, Duration from, Duration time) {
        jobs.add(job);
        mustEnd.add(job);
        for (int i = 0; i < copies; i++) {
            SimTimer _ = world.after(from.plus(within(time)), () -> command(job));
        }
    }

    private void command(String job) {
        command(job, SimTraining.command(job));
    }

    /// Commands that nobody may run: one that cannot be read, and another job under an id that is taken.
    private void spoil(Duration from, Duration time) {
        if (chance.nextInt(3) == 0) {
            SimTimer _ = world.after(from.plus(within(time)), () -> command("nonsense", "{\"id\": 7}"));
        }
        String job = jobs.get(chance.nextInt(jobs.size()));
        if (chance.nextInt(3) == 0) {
            String other = SimTraining.command(job).replace("\"batchSize\":8", "\"batchSize\":9");
            SimTimer _ = world.after(from.plus(time), () -> command(job, other));
        }
    }

    private void command(String key, String body) {
        commands.add(body);
        if (jobs.contains(key)) {
            commanded.add(key);
        }
        people.submit(key, body);
    }

    private void goWrong() {
        switch (chance.nextInt(14)) {
            case 0, 1 -> some().process().crash();
            case 2 -> some().stop();
            case 3, 4 ->
                some().process().freeze(Duration.ofSeconds(List.of(3, 40, 100).get(chance.nextInt(3))));
            case 5 -> kafka.restart(Duration.ofSeconds(chance.nextBoolean() ? 5 : 60));
            case 6, 7 -> kafka.compactSomething();
            case 8 -> store.slow(Duration.ofMillis(chance.nextInt(2000)));
            case 9 -> breakStore();
            case 10 -> kafka.sweep();
            case 11 -> people.wish(someJob(), Wish.PAUSE);
            default -> people.wish(someJob(), chance.nextInt(4) == 0 ? Wish.CANCEL : Wish.RUN);
        }
    }

    /// What only some see, or only in one direction.
    private void disturb() {
        SimProcess process = workers.isEmpty()
                ? some().process()
                : workers.get(faults.nextInt(workers.size())).process();
        Duration time = Duration.ofSeconds(List.of(5, 20, 60).get(faults.nextInt(3)));
        switch (faults.nextInt(6)) {
            case 0 -> setClock(process, WRONG_CLOCKS.get(faults.nextInt(WRONG_CLOCKS.size())));
            case 1 -> process.cutWrites(time);
            case 2 -> {
                process.cutReads(time);
                SimTimer _ = world.after(time, kafka::wake);
            }
            case 3 -> kafka.makeUnwritable(Topic.CUSTODY, time);
            case 4 -> process.loseConnections();
            default -> {
                store.trouble(SimStore.Trouble.FLAKY);
                SimTimer _ = world.after(time, () -> store.trouble(SimStore.Trouble.NONE));
            }
        }
    }

    private void setClock(SimProcess process, Duration wrong) {
        judge.distrustClocks();
        process.skew(wrong);
        long now = world.nanos();
        wrongClocks.replaceAll(clock -> clock.process() == process && now < clock.toNanos()
                ? new WrongClock(process, clock.fromNanos(), now)
                : clock);
        if (!wrong.isZero()) {
            wrongClocks.add(new WrongClock(process, now, Long.MAX_VALUE));
        }
    }

    /// A worker whose clock is wrong begins no attempts.
    private List<String> claimedByWrongClocks() {
        List<String> wrong = new ArrayList<>();
        for (String job : jobs) {
            store.chain(job).forEach((number, link) -> {
                Long at = store.createdNanos("%s/attempts/%d".formatted(job, number));
                if (at != null
                        && link instanceof ChainLink.Owner owner
                        && wrongClocks.stream().anyMatch(clock -> clock.isKnown(owner.worker(), at))) {
                    wrong.add("job %s: %s begins attempt %d, and its clock is wrong"
                            .formatted(job, owner.worker(), number));
                }
            });
        }
        return wrong;
    }

    /// Perhaps it strikes the whole rack.
    private void cutPower() {
        if (chance.nextBoolean()) {
            SimTimer _ = world.after(
                    within(Duration.ofSeconds(3)),
                    () -> List.copyOf(workers)
                            .forEach(worker -> worker.process().crash()));
        }
    }

    private SimWorker some() {
        if (workers.isEmpty()) {
            startWorker();
        }
        return workers.get(chance.nextInt(workers.size()));
    }

    private String someJob() {
        return jobs.get(chance.nextInt(jobs.size()));
    }

    private void breakStore() {
        List<SimStore.Trouble> troubles =
                List.of(SimStore.Trouble.FULL, SimStore.Trouble.READ_ONLY, SimStore.Trouble.UNREACHABLE);
        store.trouble(troubles.get(chance.nextInt(3)));
        SimTimer _ = world.after(within(Duration.ofSeconds(20)), () -> store.trouble(SimStore.Trouble.NONE));
    }

    /// From now on nothing goes wrong, and nothing is paused.
    private void recover() {
        chaos = false;
        perils.share(0);
        kafka.weather(Weather.CALM);
        store.slow(Duration.ofMillis(5));
        store.trouble(SimStore.Trouble.NONE);
        if (!kafka.isUp()) {
            kafka.start();
        }
        mendClocks();
        for (String job : jobs) {
            if (wished(job) == Wish.PAUSE) {
                people.wish(job, Wish.RUN);
            }
        }
    }

    /// One may stay wrong where others can do all jobs: one beside it, and one more behind a job of hours.
    private void mendClocks() {
        List<SimProcess> wrong = workers.stream()
                .map(SimWorker::process)
                .filter(process -> !process.skew().isZero())
                .toList();
        boolean needed = workers.size() <= (mood == Mood.LONG_FIRST ? 2 : 1)
                || jobs.stream().anyMatch(job -> Kind.of(job) == Kind.PICKY);
        boolean stays = faults.nextBoolean() && !wrong.isEmpty() && !needed;
        wrong.subList(stays ? 1 : 0, wrong.size()).forEach(process -> setClock(process, Duration.ZERO));
    }

    private Wish wished(String job) {
        return kafka.newest(Topic.CONTROL, job)
                .map(body -> {
                    try {
                        return EventJson.readControl(body).wish();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .orElse(Wish.RUN);
    }

    /// It has up to three jobs at once. Every third one lacks what some jobs need. Where one ends, another
    /// begins soon.
    private void startWorker() {
        SimProcess process = world.process("w" + ++started);
        SimWorker worker = new SimWorker(process, fleet, store, started % 3 == 1)
                .slots(1 + slots.nextInt(3))
                .watching(watched)
                .sick(chaos && faults.nextInt(8) == 0);
        workers.add(worker);
        process.atCrash(() -> {
            workers.remove(worker);
            SimTimer _ = world.after(within(Duration.ofSeconds(30)), this::startWorker);
        });
        if (chaos && chance.nextInt(4) == 0) {
            process.slow(Duration.ofMillis(200));
        }
        worker.start();
    }

    private void startStranger() {
        new SimWorker(world.process("stranger"), fleet, otherStore, false).start();
    }

    /// It can fetch commands, and is free to take them.
    private void startMute() {
        SimProcess process = world.process("mute");
        if (faults.nextBoolean()) {
            setClock(process, Duration.ofHours(2));
        } else {
            process.cutWrites(Duration.ofDays(1));
        }
        new SimWorker(process, fleet, store, false).slots(3).start();
    }

    private boolean isOver() {
        return mustEnd.stream().allMatch(this::isOver);
    }

    /// It has an outcome, that is told, and nobody looks after it any more.
    private boolean isOver(String job) {
        return judge.isEndTold(job)
                && store.end(job) != null
                && kafka.newest(Topic.CUSTODY, job).isEmpty();
    }

    /// Commands of which the store keeps another job, or none, are dead letters, and no others.
    private List<String> refusals() {
        List<String> wrong = new ArrayList<>();
        for (String command : commands) {
            boolean kept = jobs.stream().map(this::kept).anyMatch(command::equals);
            if (kept == judge.isRefused(command)) {
                wrong.add("the command %s is%s put aside".formatted(command, kept ? "" : " not"));
            }
        }
        return wrong;
    }

    private String kept(String job) {
        byte[] spec = store.object(job + "/spec.json");
        return spec == null ? "" : new String(spec, StandardCharsets.UTF_8);
    }

    /// Where nothing goes wrong, each job is done in one attempt, and one more for each worker that stops with
    /// it; but
    /// for
    /// what a worker lacks.
    private List<String> wasted() {
        List<String> wrong = new ArrayList<>();
        lost.forEach(job -> wrong.add("the command of job %s is lost".formatted(job)));
        if (kafka.dropped() > 0) {
            wrong.add("the brokers have dropped %d commands".formatted(kafka.dropped()));
        }
        for (String job : jobs) {
            Kind kind = Kind.of(job);
            int needed = 1 + judge.handedOver(job);
            if (kind != Kind.PICKY && store.attempts(job) != needed) {
                wrong.add("job %s took %d attempts instead of %d".formatted(job, store.attempts(job), needed));
            }
            ChainLink.End end = store.end(job);
            boolean failed = end != null && end.event().contains("\"failed\"");
            boolean may = kind == Kind.PICKY && stops; // who is left may lack what it needs
            if (failed != (kind == Kind.SICK) && !may) {
                wrong.add("job %s has %s".formatted(job, failed ? "failed" : "not failed"));
            }
            if (store.chain(job).values().stream()
                    .anyMatch(link -> link instanceof ChainLink.Owner owner
                            && owner.worker().equals("mute"))) {
                wrong.add("job %s was begun by a worker that cannot publish".formatted(job));
            }
            if (otherStore.attempts(job) > 0) {
                wrong.add("job %s was begun in another store, too".formatted(job));
            }
        }
        return wrong;
    }
}
