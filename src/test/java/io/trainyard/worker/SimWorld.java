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

/// A deterministic world: the same seed gives the same events in the same order. Threads run one at a time in
/// random order, and the clock advances only when no thread can run. The code inside is production code.
///
/// The threads are virtual threads on a scheduler of this class, so locks, queues and futures of the JDK work
/// as usual. A step that ends in a wait for real time fails the seed. A step that ends with an exception, a
/// wake-up from outside and a thread that never stops also fail it.
///
/// Only the test's thread may use this class; all simulated threads run on it.
final class SimWorld {
    /// Far more steps than any sensible seed takes.
    private static final long MAX_STEPS = 20_000_000;

    /// The most steps at one instant, and the most clock reads of one thread at one instant.
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
    private long stepsBefore; // steps before the clock last advanced
    private long trace;

    SimWorld(long seed) {
        this.seed = seed;
        this.lot = new SplittableRandom(seed);
    }

    /// Allows more steps than a small world takes.
    void allow(long most) {
        maxSteps = most;
    }

    long seed() {
        return seed;
    }

    /// A separate random stream, so that draws of one part do not shift those of another.
    ///
    /// @param what the purpose of the stream
    SplittableRandom chance(String what) {
        return new SplittableRandom(seed * 0x9e3779b97f4a7c15L + what.hashCode());
    }

    /// Creates a process. It may reuse the name of a process that crashed.
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

    /// Time since the beginning of the world.
    long nanos() {
        return nanos;
    }

    /// Runs an action later, between two steps of the threads. It must not wait.
    SimTimer after(Duration delay, Runnable action) {
        SimTimer timer = new SimTimer(nanos + Math.max(0, delay.toNanos()), timersMade++, action);
        timers.add(timer);
        return timer;
    }

    /// Runs the world until a condition holds or the time is over, by its own clock.
    ///
    /// @param done evaluated whenever no thread can run
    /// @return whether the condition holds
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

    /// Evaluates a condition once a second only, because it takes longer than a step of the world.
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

    /// Fails the seed at the end of the current step. The first failure counts.
    void failed(Throwable problem) {
        if (failure == null) {
            failure = problem;
        }
    }

    /// A thread can continue.
    void ready(SimThread thread) {
        ready.add(thread);
    }

    /// Whether the caller is the loop, or the thread of the current step.
    boolean isInside() {
        SimThread now = running;
        return Thread.currentThread() == loop || now != null && Thread.currentThread() == now.thread();
    }

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

    /// Adds an event to the trace.
    void note(String what, String where, long number) {
        mix(what.hashCode());
        mix(where.hashCode());
        mix(number);
    }

    private void mix(long value) {
        long hash = (trace ^ value ^ nanos) * 0xbf58476d1ce4e5b9L;
        trace = hash ^ (hash >>> 29);
    }

    /// A hash of all events so far, in order.
    long trace() {
        return trace;
    }

    long steps() {
        return steps;
    }

    /// The stack traces of all threads, for debugging.
    String stacks() {
        StringBuilder text = new StringBuilder();
        processes.values().forEach(process -> process.describe(text));
        return text.toString();
    }
}
