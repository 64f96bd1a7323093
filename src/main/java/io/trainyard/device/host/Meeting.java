package io.trainyard.device.host;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/// Where the threads of a [ThreadTeam] wait for one another in the middle of a task: nobody goes on before all have
/// come, and all see what the others wrote before. They may meet any number of times, but all as often.
///
/// When one of them throws, nobody waits for it: the others leave with an [AbandonedException].
public final class Meeting {
    private final int members;
    private final AtomicInteger missing = new AtomicInteger();
    private final AtomicReferenceArray<Thread> waiting;
    private volatile int round;
    private volatile boolean abandoned;

    /// Thrown by [#await] where another member has thrown: not a reason, but the end of one's part.
    public static final class AbandonedException extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        AbandonedException() {
            super("another thread of the team failed; nobody waits for it");
        }
    }

    Meeting(int members) {
        this.members = members;
        waiting = new AtomicReferenceArray<>(members);
    }

    /// Called before a task, while no member is at it.
    void begin() {
        abandoned = false;
        missing.set(members);
    }

    /// Called by a member that will not come any more.
    void abandon() {
        abandoned = true;
        wake();
    }

    /// @param member the caller's number in the team
    /// @throws AbandonedException if another has thrown
    public void await(int member) {
        int own = round;
        waiting.set(member, Thread.currentThread());
        if (missing.decrementAndGet() == 0) {
            missing.set(members);
            round = own + 1; // publishes what all have written
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
