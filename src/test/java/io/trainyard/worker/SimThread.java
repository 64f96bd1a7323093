package io.trainyard.worker;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A virtual thread with a [SimWorld] as its scheduler: the world runs its steps, from one wait to the next.
/// The JDK has no public way to set a scheduler.
final class SimThread implements Executor {
    private static final MethodHandle NEW_VIRTUAL_THREAD;
    private static final VarHandle STATE;

    // States of java.lang.VirtualThread
    private static final int TIMED_PARK = 7;
    private static final int BLOCKED = 13;
    private static final int UNBLOCKED = 14;
    private static final int WAIT = 16;
    private static final int TIMED_WAIT = 18;

    /// How long another thread of the JVM, such as a log writer, may hold a lock.
    private static final long FOREIGN_LOCK_NANOS = TimeUnit.SECONDS.toNanos(2);

    static {
        try {
            MethodHandles.Lookup lookup =
                    MethodHandles.privateLookupIn(Class.forName("java.lang.ThreadBuilders"), MethodHandles.lookup());
            NEW_VIRTUAL_THREAD = lookup.findStatic(
                    lookup.lookupClass(),
                    "newVirtualThread",
                    MethodType.methodType(Thread.class, Executor.class, String.class, int.class, Runnable.class));
            Class<?> virtual = Class.forName("java.lang.VirtualThread");
            STATE = MethodHandles.privateLookupIn(virtual, MethodHandles.lookup())
                    .findVarHandle(virtual, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SimProcess process;
    private final int number;
    private final Thread thread;
    private volatile @Nullable Runnable rest; // the continuation to run in this thread's next step
    private volatile boolean unblocked;
    private long clockLooks;

    SimThread(SimProcess process, String name, Runnable body) {
        this.process = process;
        this.number = process.world().nextThread();
        try {
            this.thread = (Thread) NEW_VIRTUAL_THREAD.invoke((Executor) this, name, 0, guarded(body));
        } catch (Throwable e) {
            throw new IllegalStateException("the JVM needs --add-opens java.base/java.lang=ALL-UNNAMED", e);
        }
    }

    private Runnable guarded(Runnable body) {
        return () -> {
            try {
                body.run();
            } catch (Throwable e) {
                process.world().failed(e);
            }
        };
    }

    Thread thread() {
        return thread;
    }

    int number() {
        return number;
    }

    /// The JDK calls this when the thread can continue.
    @Override
    public void execute(Runnable continuation) {
        if (process.world().isInside()) {
            rest = continuation;
            process.ready(this);
        } else if ((int) STATE.getVolatile(thread) == UNBLOCKED) { // continues the current step, see below
            unblocked = true;
            rest = continuation;
        } else {
            process.world()
                    .failed(new IllegalStateException("%s was woken by %s, from outside the simulated world"
                            .formatted(this, Thread.currentThread())));
        }
    }

    /// Runs the thread until it waits or ends. If it waits for a monitor that another JVM thread holds, the
    /// code after that belongs to the same step, so such contention does not influence the world.
    void step() {
        clockLooks = 0;
        do {
            unblocked = false;
            Runnable next = Objects.requireNonNull(rest);
            rest = null;
            next.run();
            waitForForeignLocks();
        } while (unblocked);
    }

    /// Fails the seed if the thread waits in a way that the world does not control.
    private void waitForForeignLocks() {
        long giveUpNanos = 0;
        while (rest == null) {
            switch ((int) STATE.getVolatile(thread)) {
                case TIMED_PARK, TIMED_WAIT -> {
                    process.world().failed(stuck("waits for real time; let it wait through its host"));
                    return;
                }
                case WAIT -> {
                    process.world()
                            .failed(stuck("waits in Object.wait, which the simulation cannot order; use a future"));
                    return;
                }
                case BLOCKED, UNBLOCKED -> { // UNBLOCKED only until the JVM calls `execute`
                    // A monitor of another JVM thread is free soon; one of a thread that waits in this world
                    // never is.
                    long now = System.nanoTime();
                    giveUpNanos = giveUpNanos == 0 ? now + FOREIGN_LOCK_NANOS : giveUpNanos;
                    if (now > giveUpNanos) {
                        process.world().failed(stuck("waits for a monitor whose owner waits; take a lock instead"));
                        return;
                    }
                    Thread.onSpinWait();
                }
                default -> {
                    return;
                }
            }
        }
    }

    private IllegalStateException stuck(String how) {
        IllegalStateException problem = new IllegalStateException(this + " " + how);
        problem.setStackTrace(thread.getStackTrace());
        return problem;
    }

    /// Counts clock reads, the only action of a thread that spins.
    void looksAtClock() {
        if (++clockLooks > SimWorld.MAX_STEPS_AT_ONCE) {
            throw new IllegalStateException(this + " looks at the clock again and again");
        }
    }

    void wake() {
        LockSupport.unpark(thread);
    }

    void describe(StringBuilder text) {
        if (thread.isAlive()) {
            text.append("  ").append(this).append('\n');
            for (StackTraceElement line : thread.getStackTrace()) {
                text.append("    ").append(line).append('\n');
            }
        }
    }

    @Override
    public String toString() {
        return process.name() + "/" + thread.getName();
    }
}
