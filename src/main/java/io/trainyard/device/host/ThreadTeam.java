package io.trainyard.device.host;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// A fixed number of threads that do one thing together, meet, and do the next: the caller is the first of them.
///
/// Who waits looks again and again for at most [#SPIN_NANOS], because the others are nearly always done by then
/// and to be woken takes longer; then it sleeps. So a busy neighbour on the machine loses no more than that at
/// each meeting.
public final class ThreadTeam implements AutoCloseable {
    private static final long SPIN_NANOS = 20_000;

    /// Between two looks at the clock.
    private static final int SPINS = 64;

    /// A sleeper looks by itself after this long, whatever happened to the one who should have woken it.
    private static final long SLEEP_NANOS = 100_000_000;

    private final List<Thread> helpers = new ArrayList<>();
    private final AtomicInteger working = new AtomicInteger();
    private volatile int tasks; // begun so far
    private volatile boolean closed;
    private volatile @Nullable Throwable failure;
    private volatile @Nullable Thread caller;
    private IntConsumer task = part -> {};
    private final Meeting meeting; // within a task

    public ThreadTeam(int size) {
        this("trainyard-kernels", size);
    }

    /// @param name of the threads, before their numbers
    public ThreadTeam(String name, int size) {
        meeting = new Meeting(size);
        for (int part = 1; part < size; part++) {
            int own = part;
            Thread helper = new Thread(() -> help(own), name + "-" + part);
            helper.setDaemon(true);
            helper.start();
            helpers.add(helper);
        }
    }

    /// Where the team's members wait for one another within a task.
    public Meeting meeting() {
        return meeting;
    }

    /// Calls `part.accept(0)` on this thread and `part.accept(1)` and so on on the others; returns when all are
    /// done. Throws what one of them threw, the caller's own first; that others left a [Meeting] because of it does
    /// not count.
    public void run(IntConsumer part) {
        meeting.begin();
        if (helpers.isEmpty()) {
            part.accept(0);
            return;
        }
        task = part;
        caller = Thread.currentThread();
        working.set(helpers.size());
        tasks++; // publishes what was written before
        helpers.forEach(LockSupport::unpark);
        Throwable own = attempt(part, 0);
        await(() -> working.get() == 0);
        Throwable thrown = worse(own, failure);
        failure = null;
        switch (thrown) {
            case null -> {}
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            default -> throw new IllegalStateException("a thread of the team failed", thrown);
        }
    }

    private void help(int part) {
        int seen = 0;
        while (true) {
            int last = seen;
            await(() -> closed || tasks != last);
            if (closed) {
                return;
            }
            seen = tasks;
            Throwable thrown = attempt(task, part);
            if (thrown != null) {
                failed(thrown);
            }
            if (working.decrementAndGet() == 0) {
                LockSupport.unpark(caller);
            }
        }
    }

    private synchronized void failed(Throwable thrown) {
        failure = worse(failure, thrown);
    }

    /// The first that is a reason.
    private static @Nullable Throwable worse(@Nullable Throwable first, @Nullable Throwable second) {
        return first == null || first instanceof Meeting.AbandonedException && second != null ? second : first;
    }

    @SuppressWarnings("IllegalCatch") // handed to the caller
    private @Nullable Throwable attempt(IntConsumer part, int number) {
        try {
            part.accept(number);
            return null;
        } catch (RuntimeException | Error e) {
            meeting.abandon();
            return e;
        }
    }

    interface Condition {
        boolean holds();
    }

    static void await(Condition condition) {
        long begin = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - begin < SPIN_NANOS) {
                for (int i = 0; i < SPINS && !condition.holds(); i++) {
                    Thread.onSpinWait();
                }
            } else {
                LockSupport.parkNanos(SLEEP_NANOS);
            }
        }
    }

    /// Ends the threads; waits for none, because what they hold is their own.
    @Override
    public void close() {
        closed = true;
        helpers.forEach(LockSupport::unpark);
    }
}
