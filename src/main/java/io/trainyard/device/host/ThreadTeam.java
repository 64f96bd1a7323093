package io.trainyard.device.host;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
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
    private final Meeting meeting; // within a task
    private volatile Task task;
    private volatile boolean closed;

    public ThreadTeam(int size) {
        this("trainyard-kernels", size);
    }

    /// @param name of the threads, before their numbers
    public ThreadTeam(String name, int size) {
        meeting = new Meeting(size);
        Task none = new Task(part -> {}, 0, false, null, meeting);
        task = none;
        for (int part = 1; part < size; part++) {
            int own = part;
            Thread helper = new Thread(() -> help(own, none), name + "-" + part);
            helper.setDaemon(true);
            helper.start();
            helpers.add(helper);
        }
    }

    /// Where the team's members wait for one another within a task; not within a shared one.
    public Meeting meeting() {
        return meeting;
    }

    /// Calls `part.accept(0)` on this thread and `part.accept(1)` and so on on the others, each always on the same;
    /// returns when all are done. Throws what one of them threw, that of the lowest part; that others left a
    /// [Meeting] because of it does not count.
    public void run(IntConsumer part) {
        together(part, false);
    }

    /// As [#run], but a part whose thread has not begun it is done by one that is free: on a machine that is busy
    /// elsewhere nobody waits for a thread that waits for a processor.
    public void share(IntConsumer part) {
        together(part, true);
    }

    private void together(IntConsumer part, boolean shared) {
        meeting.begin();
        if (helpers.isEmpty()) {
            part.accept(0);
            return;
        }
        Task now = new Task(part, helpers.size() + 1, shared, Thread.currentThread(), meeting);
        task = now; // publishes what was written before
        helpers.forEach(LockSupport::unpark);
        now.attend(0);
        await(now::isOver);
        now.rethrow();
    }

    private void help(int own, Task before) {
        Task seen = before;
        while (true) {
            Task last = seen;
            await(() -> closed || isAfter(last));
            if (closed) {
                return;
            }
            seen = task;
            seen.attend(own);
        }
    }

    @SuppressWarnings("ReferenceEquality") // each task is itself only
    private boolean isAfter(Task last) {
        return task != last;
    }

    private static final class Task {
        private final IntConsumer part;
        private final boolean shared;
        private final @Nullable Thread caller;
        private final Meeting meeting;
        private final AtomicIntegerArray begun; // 1 where somebody has begun the part
        private final AtomicInteger left;
        private @Nullable Throwable failure;
        private long rank = Long.MAX_VALUE; // of the failure

        Task(IntConsumer part, int parts, boolean shared, @Nullable Thread caller, Meeting meeting) {
            this.part = part;
            this.shared = shared;
            this.caller = caller;
            this.meeting = meeting;
            this.begun = new AtomicIntegerArray(parts);
            this.left = new AtomicInteger(parts);
        }

        boolean isOver() {
            return left.get() == 0;
        }

        /// A thread's own part first, while that is in its cache; then those that nobody has begun.
        void attend(int own) {
            int parts = shared ? begun.length() : 1;
            for (int i = 0; i < parts; i++) {
                int number = (own + i) % begun.length();
                if (begun.compareAndSet(number, 0, 1)) {
                    attempt(number);
                }
            }
        }

        @SuppressWarnings("IllegalCatch") // handed to the caller
        private void attempt(int number) {
            try {
                part.accept(number);
            } catch (RuntimeException | Error e) {
                meeting.abandon();
                keep(number, e);
            }
            if (left.decrementAndGet() == 0) {
                LockSupport.unpark(caller);
            }
        }

        private synchronized void keep(int number, Throwable thrown) {
            long own = thrown instanceof Meeting.AbandonedException ? Integer.MAX_VALUE + (long) number : number;
            if (own < rank) {
                rank = own;
                failure = thrown;
            }
        }

        synchronized void rethrow() {
            switch (failure) {
                case null -> {}
                case Error error -> throw error;
                case RuntimeException exception -> throw exception;
                default -> throw new IllegalStateException("a thread of the team failed", failure);
            }
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
