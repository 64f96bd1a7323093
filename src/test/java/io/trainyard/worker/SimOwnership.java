package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.event.Control.DesiredState;
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

/// A fleet of real workers in a simulated world. In most worlds a seed first injects all kinds of faults, then
/// the faults end and each job must end. In calm worlds the only fault is a duplicate command, and each job
/// must take one attempt. In some worlds a job of several hours must not block the others.
final class SimOwnership extends SimFleet {
    /// How long faults are injected.
    private static final Duration CHAOS = Duration.ofMinutes(2);

    private static final int FAULTS = 12;

    /// As the embedded broker is configured. With Kafka's default of 5, some seeds lose a command because five
    /// deliveries in a row end without a claim.
    private static final int DELIVERIES = 10;

    /// The time limit for all jobs to end after the faults: the longest pause before a copy's next copy, plus
    /// the time to run all jobs one after another.
    static final Duration BOUND = Duration.ofMinutes(40);

    /// The same for calm worlds.
    private static final Duration CALM_BOUND = Duration.ofMinutes(5);

    private static final Duration LONGEST_FREEZE = Duration.ofSeconds(100);

    /// Messages in flight arrive within this time after the last job ended and the last frozen process
    /// continued.
    private static final Duration LAST_WORDS = Duration.ofSeconds(20);

    /// A worker that could not run a job claims no commands for a minute, even commands to dead-letter.
    private static final Duration LAST_REFUSALS = Duration.ofMinutes(5);

    /// After this time all workers of a calm world know each other.
    private static final Duration ACQUAINTED = Duration.ofSeconds(15);

    /// Store calls per claim: 20, and a few more each time that another process appends to the chain first.
    private static final int MAX_CALLS = 30;

    /// Brokers refuse timestamps of the first. They accept the others, but a worker must not claim with those
    /// either.
    private static final List<Duration> WRONG_CLOCKS =
            List.of(Duration.ofHours(2), Duration.ofHours(-2), Duration.ofMinutes(20));

    /// The longest time until a worker notices that its clock is wrong.
    private static final Duration NOTICED = Duration.ofSeconds(30);

    private record WrongClock(SimProcess process, long fromNanos, long toNanos) {
        /// Whether the worker should have noticed by then.
        boolean isKnown(String worker, long nanos) {
            return process.name().equals(worker)
                    && nanos < toNanos
                    && nanos - fromNanos - process.frozenNanos(fromNanos, nanos) > NOTICED.toNanos();
        }
    }

    private enum Mood {
        CHAOS,
        CALM,
        /// Also, one worker uses another store, so it must not run jobs of this fleet.
        CALM_WITH_A_STRANGER,
        /// Also, one worker has a wrong clock or cannot publish.
        CALM_WITH_A_MUTE,
        LONG_FIRST;

        boolean isCalm() {
            return this == CALM || this == CALM_WITH_A_STRANGER || this == CALM_WITH_A_MUTE;
        }
    }

    private final SimSeams seams;
    private final SimStore otherStore;
    private final SplittableRandom slots;
    private final SplittableRandom faults;
    private final int watched; // the most jobs that a worker monitors
    private final Mood mood;
    private final List<String> jobs = new ArrayList<>();
    private final List<String> mustEnd = new ArrayList<>(); // within the bound
    private final Set<String> commands = new TreeSet<>(); // bodies of all commands
    private final Set<String> commanded = new TreeSet<>(); // jobs with a published command
    private final Set<String> lost = new TreeSet<>(); // jobs without a command in calm worlds
    private final List<WrongClock> wrongClocks = new ArrayList<>();
    private boolean chaos;
    private boolean stops; // whether a worker of a calm world stops

    SimOwnership(long seed) {
        this(seed, SimSeams.NONE);
    }

    /// @param seams the layer between the workers and the world
    SimOwnership(long seed, SimSeams seams) {
        SimWorld world = new SimWorld(seed);
        SplittableRandom chance = world.chance("custody");
        mood = mood(chance);
        super(world, chance, seams, DELIVERIES, List.of(3, 10, 2000).get(chance.nextInt(3)));
        this.seams = seams;
        slots = world.chance("slots");
        faults = world.chance("faults");
        watched = faults.nextInt(4) == 0 ? 2 : 200_000;
        otherStore = new SimStore(world, "other disk");
        store.staleLists(seams.listLag());
    }

    private static Mood mood(SplittableRandom chance) {
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

    /// Runs the world.
    ///
    /// @return violations, as sentences
    List<String> run() {
        SimTimer _ = world.after(within(CHAOS), () -> seams.happen(kafka));
        boolean calm = mood.isCalm();
        if (calm) {
            beCalm();
        } else {
            beWild();
        }
        boolean ended = world.runUntil(world.everySecond(this::isOver), calm ? CALM_BOUND : BOUND);
        if (!ended) {
            mustEnd.stream().filter(job -> !isOver(job)).forEach(job -> wrong.add("job " + job + " does not end"));
        }
        if (mood == Mood.LONG_FIRST) {
            jobs.forEach(job -> people.desiredState(job, DesiredState.CANCEL));
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
            // With LONG_FIRST the worker that can run a picky job may be busy for hours.
            Kind kind = List.of(Kind.JOB, Kind.JOB, Kind.JOB, Kind.SICK, Kind.STUCK, Kind.PICKY)
                    .get(chance.nextInt(mood == Mood.LONG_FIRST ? 5 : 6));
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

    /// Each command is published up to three times, before and after its job ends. Workers freeze for moments,
    /// and one may be stopped.
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

    /// Whether a job has not ended, has no command in any topic and has no owner.
    private boolean isAnyLost() {
        if (kafka.lag() == 0) {
            commanded.stream()
                    .filter(job -> store.end(job) == null
                            && kafka.newest(Topic.OWNERSHIP, job).isEmpty())
                    .forEach(lost::add);
        }
        return !lost.isEmpty();
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

    /// Commands that no worker may run: one that is unreadable, and one that reuses a job id with another spec.
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
            case 11 -> people.desiredState(someJob(), DesiredState.PAUSE);
            default -> people.desiredState(someJob(), chance.nextInt(4) == 0 ? DesiredState.CANCEL : DesiredState.RUN);
        }
    }

    /// Faults that affect some processes only, or one direction only.
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
            case 3 -> kafka.makeUnwritable(Topic.OWNERSHIP, time);
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

    /// A worker with a wrong clock must begin no attempts.
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

    /// In half of the cases all workers lose power within three seconds.
    @Override
    void cutPower() {
        if (chance.nextBoolean()) {
            SimTimer _ = world.after(
                    within(Duration.ofSeconds(3)),
                    () -> List.copyOf(workers)
                            .forEach(worker -> worker.process().crash()));
        }
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

    /// Ends all faults, and continues the paused jobs.
    private void recover() {
        chaos = false;
        endFaults();
        store.slow(Duration.ofMillis(5));
        store.trouble(SimStore.Trouble.NONE);
        mendClocks();
        for (String job : jobs) {
            if (controlled(job) == DesiredState.PAUSE) {
                people.desiredState(job, DesiredState.RUN);
            }
        }
    }

    /// One clock may stay wrong if the other workers can run all jobs: one other worker is enough, two if one
    /// runs a job of several hours.
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

    private DesiredState controlled(String job) {
        return kafka.newest(Topic.CONTROL, job)
                .map(body -> {
                    try {
                        return EventJson.readControl(body).desiredState();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .orElse(DesiredState.RUN);
    }

    /// A worker has up to three slots. Every third one cannot run picky jobs.
    @Override
    SimWorker worker(SimProcess process) {
        SimWorker worker = new SimWorker(process, fleet, store, started % 3 == 1)
                .slots(1 + slots.nextInt(3))
                .watching(watched)
                .sick(chaos && faults.nextInt(8) == 0);
        if (chaos && chance.nextInt(4) == 0) {
            process.slow(Duration.ofMillis(200));
        }
        return worker;
    }

    private void startStranger() {
        new SimWorker(world.process("stranger"), fleet, otherStore, false).start();
    }

    /// A worker that can fetch commands and has free slots, but cannot publish or has a wrong clock.
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

    /// The store has the job's end, the end is published, and the job has no owner.
    @Override
    boolean isOver(String job) {
        return super.isOver(job) && kafka.newest(Topic.OWNERSHIP, job).isEmpty();
    }

    /// A command is dead-lettered if and only if the store has another spec for the job, or none.
    private List<String> refusals() {
        List<String> wrong = new ArrayList<>();
        for (String command : commands) {
            boolean storedSpec = jobs.stream().map(this::storedSpec).anyMatch(command::equals);
            if (storedSpec == judge.isRefused(command)) {
                wrong.add("the command %s is%s dead-lettered".formatted(command, storedSpec ? "" : " not"));
            }
        }
        return wrong;
    }

    private String storedSpec(String job) {
        byte[] spec = store.object(job + "/spec.json");
        return spec == null ? "" : new String(spec, StandardCharsets.UTF_8);
    }

    /// In a calm world each job takes one attempt, plus one for each worker that stops while it runs the job.
    /// Picky jobs may take more.
    private List<String> wasted() {
        List<String> wrong = new ArrayList<>();
        lost.forEach(job -> wrong.add("the command of job %s is lost".formatted(job)));
        if (kafka.dropped() > 0) {
            wrong.add("the brokers have dropped %d commands".formatted(kafka.dropped()));
        }
        for (String job : jobs) {
            Kind kind = Kind.of(job);
            int needed = 1 + judge.releases(job);
            if (kind != Kind.PICKY && store.attempts(job) != needed) {
                wrong.add("job %s took %d attempts instead of %d".formatted(job, store.attempts(job), needed));
            }
            ChainLink.End end = store.end(job);
            boolean failed = end != null && end.event().contains("\"failed\"");
            boolean may = kind == Kind.PICKY && stops; // the remaining workers may be unable to run it
            if (failed != (kind == Kind.SICK) && !may) {
                wrong.add("job %s has %s".formatted(job, failed ? "failed" : "not failed"));
            }
            if (store.chain(job).values().stream()
                    .anyMatch(link -> link instanceof ChainLink.Owner owner
                            && owner.worker().equals("mute"))) {
                wrong.add("job %s was started by a worker that cannot publish".formatted(job));
            }
            if (otherStore.attempts(job) > 0) {
                wrong.add("job %s was also started in another store".formatted(job));
            }
        }
        return wrong;
    }
}
