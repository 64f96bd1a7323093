package io.trainyard.device.host;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// A fixed number of threads that run a task together, synchronize, and run the next one. The caller is the first
/// of them.
///
/// A waiting thread spins for at most [#SPIN_NANOS], because the others nearly always finish in this time and a
/// wake-up takes longer; then it sleeps. So other processes on the machine lose no more than that at each barrier.
public final class ThreadTeam implements AutoCloseable {
    private static final long SPIN_NANOS = 20_000;

    private static final int SPINS = 64;

    /// A sleeping thread checks again after this time, even without a wake-up.
    private static final long SLEEP_NANOS = 100_000_000;

    private final List<Thread> helpers = new ArrayList<>();
    private final ThreadBarrier barrier; // within a task
    private volatile Task task;
    private volatile boolean closed;

    public ThreadTeam(int size) {
        this("trainyard-kernels", size);
    }

    public ThreadTeam(String name, int size) {
        barrier = new ThreadBarrier(size);
        Task none = new Task(part -> {}, 0, false, null, barrier);
        task = none;
        for (int part = 1; part < size; part++) {
            int own = part;
            Thread helper = new Thread(() -> help(own, none), name + "-" + part);
            helper.setDaemon(true);
            helper.start();
            helpers.add(helper);
        }
    }

    /// The barrier of the team's members within a task; not for shared tasks.
    public ThreadBarrier barrier() {
        return barrier;
    }

    /// Calls `part.accept(0)` on this thread and `part.accept(1)` and so on on the others, each always on the same
    /// one, and returns when all are done. Throws the exception of the lowest failed part; a
    /// [ThreadBarrier.AbandonedException] caused by it is ignored.
    public void run(IntConsumer part) {
        together(part, false);
    }

    /// Like [#run], but a free thread takes over parts that their threads have not begun. On a busy machine, the
    /// team then does not wait for a thread without a CPU.
    public void share(IntConsumer part) {
        together(part, true);
    }

    private void together(IntConsumer part, boolean shared) {
        barrier.begin();
        if (helpers.isEmpty()) {
            part.accept(0);
            return;
        }
        Task now = new Task(part, helpers.size() + 1, shared, Thread.currentThread(), barrier);
        task = now; // publishes earlier writes
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

    @SuppressWarnings("ReferenceEquality") // tasks are compared by identity
    private boolean isAfter(Task last) {
        return task != last;
    }

    private static final class Task {
        private final IntConsumer part;
        private final boolean shared;
        private final @Nullable Thread caller;
        private final ThreadBarrier barrier;
        private final AtomicIntegerArray begun; // 1 if a thread has begun the part
        private final AtomicInteger left;
        private @Nullable Throwable failure;
        private long rank = Long.MAX_VALUE; // of the failure

        Task(IntConsumer part, int parts, boolean shared, @Nullable Thread caller, ThreadBarrier barrier) {
            this.part = part;
            this.shared = shared;
            this.caller = caller;
            this.barrier = barrier;
            this.begun = new AtomicIntegerArray(parts);
            this.left = new AtomicInteger(parts);
        }

        boolean isOver() {
            return left.get() == 0;
        }

        /// Runs the thread's own part first, because its data is in the cache, then parts that have not begun.
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
                barrier.abandon();
                keep(number, e);
            }
            if (left.decrementAndGet() == 0) {
                LockSupport.unpark(caller);
            }
        }

        private synchronized void keep(int number, Throwable thrown) {
            long own = thrown instanceof ThreadBarrier.AbandonedException ? Integer.MAX_VALUE + (long) number : number;
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

    /// Ends the threads without waiting for them, because they share no resources.
    @Override
    public void close() {
        closed = true;
        helpers.forEach(LockSupport::unpark);
    }
}
