package io.trainyard.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A world in which the same seed makes the same things happen in the same order: threads that run one at a time,
/// the next one drawn by lot, and a clock that goes on only when none of them can. What runs in it is the real
/// code.
///
/// Its threads are virtual ones on a scheduler of this class, so locks, queues and futures of the JDK work as ever.
/// Waiting for real time does not, and is found: a step that ends in such a wait fails the seed. So does a step
/// that ends with an exception, a thread woken from outside, and threads that run on and on.
///
/// Used by one thread of the test, which is the one that all others run on.
final class SimWorld {
    /// As many steps as any sensible seed stays far below.
    private static final long MAX_STEPS = 20_000_000;

    /// As many as may come at one instant, or be spent by one thread on looking at the clock.
    static final int MAX_STEPS_AT_ONCE = 200_000;

    private final long seed;
    private final SplittableRandom lot;
    private final Thread loop = Thread.currentThread();
    private final List<SimThread> ready = new ArrayList<>();
    private final PriorityQueue<SimTimer> timers = new PriorityQueue<>();
    private final Map<String, SimProcess> processes = new LinkedHashMap<>();
    private volatile @Nullable SimThread running;
    private volatile @Nullable Throwable failure;
    private long nanos;
    private long timersMade;
    private int threadsMade;
    private long steps;
    private long maxSteps = MAX_STEPS;
    private long stepsBefore; // until the clock last went on
    private long trace;

    SimWorld(long seed) {
        this.seed = seed;
        this.lot = new SplittableRandom(seed);
    }

    /// Allows more steps than any small world takes.
    void allow(long most) {
        maxSteps = most;
    }

    long seed() {
        return seed;
    }

    /// A stream of chance of its own, so that one part's draws do not shift another's.
    ///
    /// @param what it is for
    SplittableRandom chance(String what) {
        return new SplittableRandom(seed * 0x9e3779b97f4a7c15L + what.hashCode());
    }

    /// A new process. One that has crashed may be followed by another of its name.
    SimProcess process(String name) {
        SimProcess process = new SimProcess(this, name);
        processes.put(name, process);
        return process;
    }

    /// The newest process of that name.
    @Nullable
    SimProcess known(String name) {
        return processes.get(name);
    }

    /// Since the beginning of the world.
    long nanos() {
        return nanos;
    }

    /// Does something later, between two steps of the threads. It must not wait.
    SimTimer after(Duration delay, Runnable action) {
        SimTimer timer = new SimTimer(nanos + Math.max(0, delay.toNanos()), timersMade++, action);
        timers.add(timer);
        return timer;
    }

    /// Lets the world run until something has come about, or for so long by its own clock.
    ///
    /// @param done asked whenever nobody can run
    /// @return whether it has come about
    boolean runUntil(BooleanSupplier done, Duration bound) {
        long end = nanos + bound.toNanos();
        while (true) {
            while (!ready.isEmpty()) {
                step();
            }
            fail();
            if (done.getAsBoolean()) {
                return true;
            }
            SimTimer next = peek();
            if (next == null || next.atNanos() > end) {
                nanos = end;
                return false;
            }
            if (next.atNanos() > nanos) {
                nanos = next.atNanos();
                stepsBefore = steps;
            }
            timers.remove();
            next.run();
        }
    }

    /// Asks a question now and then only: to answer it takes longer than a step of the world.
    BooleanSupplier everySecond(BooleanSupplier question) {
        long[] nextNanos = {0};
        return () -> {
            if (nanos < nextNanos[0]) {
                return false;
            }
            nextNanos[0] = nanos + 1_000_000_000L;
            return question.getAsBoolean();
        };
    }

    /// Lets the world run for so long.
    void run(Duration time) {
        boolean _ = runUntil(() -> false, time);
    }

    private @Nullable SimTimer peek() {
        SimTimer next = timers.peek();
        while (next != null && next.isCancelled()) {
            timers.remove();
            next = timers.peek();
        }
        return next;
    }

    private void step() {
        int drawn = ready.size() == 1 ? 0 : lot.nextInt(ready.size());
        SimThread thread = ready.get(drawn);
        SimThread last = ready.removeLast();
        if (drawn < ready.size()) {
            ready.set(drawn, last);
        }
        mix(thread.number());
        running = thread;
        try {
            thread.step();
        } finally {
            running = null;
        }
        steps++;
        if (steps > maxSteps || steps - stepsBefore > MAX_STEPS_AT_ONCE) {
            throw new SimFailure(this, "the threads run on and on", null);
        }
        fail();
    }

    private void fail() {
        Throwable cause = failure;
        if (cause instanceof SimFailure itself) {
            throw itself;
        }
        if (cause != null) {
            throw new SimFailure(this, cause.toString(), cause);
        }
    }

    /// Fails the seed, at the end of the present step. The first failure counts.
    void failed(Throwable problem) {
        if (failure == null) {
            failure = problem;
        }
    }

    /// A thread can go on.
    void ready(SimThread thread) {
        ready.add(thread);
    }

    /// Whether the caller is the loop, or the thread whose step this is.
    boolean isInside() {
        SimThread now = running;
        return Thread.currentThread() == loop || now != null && Thread.currentThread() == now.thread();
    }

    /// The thread whose step this is.
    SimThread running() {
        SimThread now = running;
        if (now == null) {
            throw new IllegalStateException("only a thread of the simulated world can wait in it");
        }
        return now;
    }

    int nextThread() {
        return threadsMade++;
    }

    /// Puts into the trace what happened.
    void note(String what, String where, long number) {
        mix(what.hashCode());
        mix(where.hashCode());
        mix(number);
    }

    private void mix(long value) {
        long hash = (trace ^ value ^ nanos) * 0xbf58476d1ce4e5b9L;
        trace = hash ^ (hash >>> 29);
    }

    /// A number that follows from all that has happened, in its order.
    long trace() {
        return trace;
    }

    long steps() {
        return steps;
    }

    /// Where all threads of all processes are, for people.
    String stacks() {
        StringBuilder text = new StringBuilder();
        processes.values().forEach(process -> process.describe(text));
        return text.toString();
    }
}
