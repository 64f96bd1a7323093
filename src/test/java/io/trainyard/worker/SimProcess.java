package io.trainyard.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A process of a [SimWorld], and the host of the code in it. It can be killed, frozen and slowed down.
final class SimProcess implements Host {
    /// The time at which worlds begin.
    static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private record Standstill(long beginNanos, long endNanos) {}

    private enum State {
        RUNNING,
        FROZEN,
        CRASHED
    }

    private final SimWorld world;
    private final String name;
    private final SplittableRandom chance;
    private final List<SimThread> threads = new ArrayList<>();
    private final List<Runnable> held = new ArrayList<>(); // actions that wait for the end of a freeze
    private final List<Runnable> atCrash = new ArrayList<>();
    private final Queue<Runnable> mail = new ArrayDeque<>();
    private @Nullable SimThread postman;
    private State state = State.RUNNING;
    private long freezes;
    private long frozenSinceNanos;
    private final List<Standstill> standstills = new ArrayList<>();
    private Duration slowness = Duration.ZERO;
    private Duration skew = Duration.ZERO;
    private long readsFromNanos; // nothing arrives before
    private long writesFromNanos; // requests of its producers reach no broker before
    private int connections = 1; // the number of the producers' current connection

    SimProcess(SimWorld world, String name) {
        this.world = world;
        this.name = name;
        this.chance = world.chance("process " + name);
    }

    SimWorld world() {
        return world;
    }

    String name() {
        return name;
    }

    @Override
    public Thread start(String thread, Runnable body) {
        return started(thread, body).thread();
    }

    private SimThread started(String thread, Runnable body) {
        SimThread begun = new SimThread(this, thread, body);
        threads.add(begun);
        if (threads.size() % 64 == 0) {
            threads.removeIf(old -> old != begun && !old.thread().isAlive());
        }
        begun.thread().start();
        return begun;
    }

    @Override
    public long nanoTime() {
        world.running().looksAtClock();
        return world.nanos();
    }

    @Override
    public Instant now() {
        world.running().looksAtClock();
        return BEGINNING.plusNanos(world.nanos()).plus(skew);
    }

    /// The time of day for code outside the process's threads.
    long millis() {
        return BEGINNING.plusNanos(world.nanos()).plus(skew).toEpochMilli();
    }

    @Override
    public long residentBytes() {
        return 1 << 20;
    }

    @Override
    public <T extends @Nullable Object> T await(CompletableFuture<T> work, Duration bound)
            throws InterruptedException, ExecutionException, TimeoutException {
        SimThread me = world.running();
        if (!work.isDone()) {
            long end = world.nanos() + Math.max(0, bound.toNanos());
            SimTimer alarm = world.after(bound, me::wake);
            var _ = work.whenComplete((_, _) -> me.wake());
            while (!work.isDone()
                    && world.nanos() < end
                    && !Thread.currentThread().isInterrupted()) {
                LockSupport.park(this);
            }
            alarm.cancel();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!work.isDone()) {
            throw new TimeoutException("not done within " + bound);
        }
        return work.get();
    }

    /// Makes the calling thread wait, without interruption.
    void sleep(Duration time) {
        SimThread me = world.running();
        long end = world.nanos() + time.toNanos();
        SimTimer _ = world.after(time, me::wake);
        boolean interrupted = false;
        while (world.nanos() < end) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// A random time from the process's own random numbers.
    Duration upTo(Duration most) {
        return most.isPositive() ? Duration.ofNanos(chance.nextLong(most.toNanos())) : Duration.ZERO;
    }

    /// Runs an action later: not while the process is frozen, and never after a crash. The action must not
    /// wait.
    void after(Duration delay, Runnable action) {
        SimTimer _ = world.after(delay, () -> whenThawed(action));
    }

    /// Runs work on a thread of the process soon; work items run one after the other.
    void post(Runnable work) {
        mail.add(work);
        if (postman == null) {
            postman = started("network", this::deliver);
        } else {
            postman.wake();
        }
    }

    private void deliver() {
        while (true) {
            Runnable next = mail.poll();
            if (next == null) {
                LockSupport.park(mail);
            } else {
                next.run();
            }
        }
    }

    private void whenThawed(Runnable action) {
        switch (state) {
            case RUNNING -> action.run();
            case FROZEN -> held.add(action);
            case CRASHED -> {
                // the action is dropped
            }
        }
    }

    /// A thread of this process can continue.
    void ready(SimThread thread) {
        if (slowness.isZero()) {
            whenThawed(() -> world.ready(thread));
        } else {
            SimTimer _ = world.after(upTo(slowness), () -> whenThawed(() -> world.ready(thread)));
        }
    }

    /// Ends the process at once, as SIGKILL does: its threads take no further step, and the brokers see its
    /// connections close. Does not return if one of its own threads calls it.
    void crash() {
        if (state == State.CRASHED) {
            return;
        }
        world.note("crash", name, 0);
        state = State.CRASHED;
        held.clear();
        mail.clear();
        atCrash.forEach(Runnable::run);
        leaveForEver();
    }

    /// Freezes all threads for a time, as SIGSTOP and SIGCONT do. Connections stay open.
    void freeze(Duration time) {
        if (state == State.CRASHED) {
            return;
        }
        world.note("freeze", name, time.toMillis());
        if (state != State.FROZEN) {
            frozenSinceNanos = world.nanos();
        }
        state = State.FROZEN;
        long freeze = ++freezes;
        SimTimer _ = world.after(time, () -> {
            if (state == State.FROZEN && freeze == freezes) {
                thaw();
            }
        });
        if (isMine()) {
            Thread.yield();
        }
    }

    private void thaw() {
        world.note("thaw", name, 0);
        standstills.add(new Standstill(frozenSinceNanos, world.nanos()));
        state = State.RUNNING;
        List<Runnable> late = List.copyOf(held);
        held.clear();
        late.forEach(this::whenThawed);
    }

    /// How long the process was frozen between two times.
    long frozenNanos(long from, long to) {
        long sum = 0;
        for (Standstill some : standstills) {
            sum += Math.max(0, Math.min(to, some.endNanos()) - Math.max(from, some.beginNanos()));
        }
        return sum + (state == State.FROZEN ? Math.max(0, to - Math.max(from, frozenSinceNanos)) : 0);
    }

    private void leaveForEver() {
        while (isMine()) {
            var _ = Thread.interrupted(); // otherwise it would not wait at all
            LockSupport.park(this);
        }
    }

    private boolean isMine() {
        return threads.stream().anyMatch(thread -> thread.thread() == Thread.currentThread());
    }

    /// From now on each thread waits for a random time up to `most` before each step.
    void slow(Duration most) {
        slowness = most;
    }

    /// From now on the process's clock is off by this amount.
    void skew(Duration wrong) {
        skew = wrong;
    }

    /// The error of the process's clock.
    Duration skew() {
        return skew;
    }

    /// For a time, records of its producers do not reach the brokers.
    void cutWrites(Duration time) {
        world.note("cut writes", name, time.toMillis());
        writesFromNanos = world.nanos() + time.toNanos();
    }

    /// For a time, nothing from the brokers arrives.
    void cutReads(Duration time) {
        world.note("cut reads", name, time.toMillis());
        readsFromNanos = world.nanos() + time.toNanos();
    }

    boolean canWrite() {
        return world.nanos() >= writesFromNanos;
    }

    boolean canRead() {
        return world.nanos() >= readsFromNanos;
    }

    /// The current connections of its producers get no answers any more; new connections do.
    void loseConnections() {
        world.note("connections lost", name, connections);
        connections++;
    }

    int connections() {
        return connections;
    }

    /// @param action runs when the process crashes, on the thread that crashes it
    void atCrash(Runnable action) {
        atCrash.add(action);
    }

    boolean isCrashed() {
        return state == State.CRASHED;
    }

    boolean isFrozen() {
        return state == State.FROZEN;
    }

    void describe(StringBuilder text) {
        text.append(name).append(": ").append(state).append('\n');
        if (state != State.CRASHED) {
            threads.forEach(thread -> thread.describe(text));
        }
    }
}
