package io.trainyard.device.host;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/// A barrier for the threads of a [ThreadTeam] in the middle of a task: all threads wait until the last has
/// arrived, and see all earlier writes of the others. It can be used any number of times, but equally often by all
/// threads.
///
/// If a thread fails, the others do not wait for it but throw an [AbandonedException].
public final class ThreadBarrier {
    private final int members;
    private final AtomicInteger missing = new AtomicInteger();
    private final AtomicReferenceArray<Thread> waiting;
    private volatile int round;
    private volatile boolean abandoned;

    /// Thrown by [#await] if another member has failed. It is a consequence and not the cause.
    public static final class AbandonedException extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        AbandonedException() {
            super("another thread of the team failed, so the barrier was abandoned");
        }
    }

    ThreadBarrier(int members) {
        this.members = members;
        waiting = new AtomicReferenceArray<>(members);
    }

    /// Called before a task, while no member is running.
    void begin() {
        abandoned = false;
        missing.set(members);
    }

    /// Called by a member that will not arrive any more.
    void abandon() {
        abandoned = true;
        wake();
    }

    /// @param member the caller's index in the team
    /// @throws AbandonedException if another member has failed
    public void await(int member) {
        int own = round;
        waiting.set(member, Thread.currentThread());
        if (missing.decrementAndGet() == 0) {
            missing.set(members);
            round = own + 1; // publishes all earlier writes
            wake();
            return;
        }
        ThreadTeam.await(() -> round != own || abandoned);
        if (round == own) {
            throw new AbandonedException();
        }
    }

    private void wake() {
        for (int i = 0; i < members; i++) {
            LockSupport.unpark(waiting.get(i));
        }
    }
}
