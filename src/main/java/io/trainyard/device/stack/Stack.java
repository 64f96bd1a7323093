package io.trainyard.device.stack;

import io.trainyard.device.LearningSession;
import io.trainyard.device.StackedSteps;
import io.trainyard.device.StackedSteps.Trained;
import io.trainyard.device.StackingDevice.StackRoom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// One stack. A session that wants steps waits here, for milliseconds at most, for the others that train; then one of
/// the waiting threads takes the steps of all that are here, as many as the one that wants fewest. Those that are
/// elsewhere, testing or saving, are simply not in it. Where too few have come, each goes on by itself.
///
/// Who comes when decides who is trained with whom, and no bits. Thread-safe.
final class Stack {
    /// A thread that waits for the others looks by itself after this long, whoever should have woken it.
    private static final long LOOK_MILLIS = 1;

    /// One that waits for steps that are taken.
    private static final long LOOK_AGAIN_MILLIS = 100;

    private final StackRoom room;
    private final StackedSteps steps;
    private final LongAdder taken; // steps of sessions, in all stacks
    private final @Nullable StackedSession[] sessions;
    private final @Nullable Request[] waiting;
    private final boolean[] together; // whether a session took steps with others when it last wanted some
    private int alike; // sessions of the program, in all its stacks
    private int away; // sessions of this one that do something else
    private boolean running;
    private boolean closed;

    /// @param taken counts the steps that sessions take here
    Stack(StackRoom room, StackedSteps steps, LongAdder taken) {
        this.room = room;
        this.steps = steps;
        this.taken = taken;
        this.sessions = new StackedSession[room.places()];
        this.waiting = new Request[room.places()];
        this.together = new boolean[room.places()];
    }

    /// Steps that a session wants.
    private static final class Request {
        private final float[] losses;
        private int taken;
        private long since = System.nanoTime();
        private @Nullable RuntimeException failure;

        Request(int steps) {
            losses = new float[steps];
        }

        int left() {
            return losses.length - taken;
        }

        boolean isOver() {
            return left() == 0 || failure != null;
        }

        void take(float[] more) {
            System.arraycopy(more, 0, losses, taken, more.length);
            taken += more.length;
        }
    }

    synchronized boolean hasRoom() {
        return !closed && sessions() < sessions.length;
    }

    synchronized int sessions() {
        return (int) Arrays.stream(sessions).filter(Objects::nonNull).count();
    }

    /// How many sessions are trained with others, as far as it has been seen.
    synchronized int trainedTogether() {
        int count = 0;
        for (boolean one : together) {
            count += one ? 1 : 0;
        }
        return count;
    }

    /// @return the session's place
    synchronized int join(StackedSession session) {
        int place = Arrays.asList(sessions).indexOf(null);
        sessions[place] = session;
        return place;
    }

    void leave(int place) {
        steps.release(place);
        synchronized (this) {
            sessions[place] = null;
            together[place] = false;
            notifyAll();
        }
    }

    synchronized boolean closeIfEmpty() {
        if (sessions() == 0 && !closed) {
            closed = true;
            steps.close();
        }
        return closed;
    }

    /// @param ofProgram sessions in all stacks of the program
    synchronized void tell(int ofProgram) {
        alike = ofProgram;
        notifyAll();
    }

    /// Gives a session its state back, and does not wait for it until [#back].
    void away(int place) {
        synchronized (this) {
            away++;
            notifyAll();
        }
        steps.release(place);
    }

    synchronized void back() {
        away--;
    }

    /// Whether there are so many sessions that stacks occupy all processors.
    private boolean pays() {
        return alike >= (long) room.worthwhile() * room.processors();
    }

    /// Takes steps together with others, as far as there are enough of them.
    ///
    /// @return the losses of the steps taken: fewer than wanted where the rest is to be taken alone
    float[] advance(int place, int wanted) {
        Request own = new Request(wanted);
        synchronized (this) {
            if (!pays()) {
                together[place] = false;
                return new float[0];
            }
            waiting[place] = own;
            notifyAll();
        }
        try {
            while (isToLead(place, own)) {
                takeTogether(wanted());
            }
        } finally {
            withdraw(place, own);
        }
        if (own.failure != null) {
            throw own.failure;
        }
        return Arrays.copyOf(own.losses, own.taken);
    }

    private synchronized void withdraw(int place, Request own) {
        waiting[place] = null;
        together[place] = own.taken > 0;
    }

    /// @return true: this thread is to take the steps of all that wait; false: there is nothing to wait for any more
    private synchronized boolean isToLead(int place, Request own) {
        boolean interrupted = false;
        try {
            while (!own.isOver()) {
                if (!running) {
                    long here = Arrays.stream(waiting).filter(Objects::nonNull).count();
                    boolean complete = here >= sessions() - away;
                    boolean impatient = isImpatient(own);
                    if (here >= room.worthwhile() && (complete || impatient)) {
                        running = true;
                        return true;
                    }
                    if (complete || impatient || !pays()) {
                        waiting[place] = null; // at once, so that the others do not count on it
                        return false;
                    }
                }
                try {
                    wait(running ? LOOK_AGAIN_MILLIS : LOOK_MILLIS);
                } catch (InterruptedException e) {
                    interrupted = true; // it may be trained just now, and cannot leave
                }
            }
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean isImpatient(Request request) {
        return System.nanoTime() - request.since >= room.patience().toNanos();
    }

    /// Who is trained now.
    private synchronized List<@Nullable Request> wanted() {
        List<@Nullable Request> requests = new ArrayList<>();
        for (Request request : waiting) {
            requests.add(request == null || request.isOver() ? null : request);
        }
        return requests;
    }

    @SuppressWarnings("IllegalCatch") // it concerns all of them
    private void takeTogether(List<@Nullable Request> requests) {
        try {
            int count = requests.stream()
                    .filter(Objects::nonNull)
                    .mapToInt(Request::left)
                    .min()
                    .orElse(0);
            List<@Nullable LearningSession> present = new ArrayList<>();
            for (int place = 0; place < requests.size(); place++) {
                StackedSession session = sessionAt(place);
                present.add(requests.get(place) == null || session == null ? null : session.alone());
            }
            List<@Nullable Trained> trained = steps.advance(present, count);
            end(requests, trained);
        } catch (RuntimeException e) {
            endAll(requests, e);
        } catch (Error e) {
            endAll(requests, new IllegalStateException("the steps of all sessions of a stack failed", e));
            throw e;
        }
    }

    private synchronized @Nullable StackedSession sessionAt(int place) {
        return sessions[place];
    }

    private synchronized void end(List<@Nullable Request> requests, List<@Nullable Trained> trained) {
        for (int place = 0; place < requests.size(); place++) {
            Request request = requests.get(place);
            if (request != null) {
                switch (trained.get(place)) {
                    case null -> throw new IllegalStateException("nothing came of the steps at place " + place);
                    case Trained.Steps(float[] losses) -> {
                        request.take(losses);
                        taken.add(losses.length);
                    }
                    case Trained.Failed(RuntimeException cause) -> request.failure = cause;
                }
            }
        }
        ended();
    }

    private synchronized void endAll(List<@Nullable Request> requests, RuntimeException cause) {
        requests.stream().filter(Objects::nonNull).forEach(request -> request.failure = cause);
        ended();
    }

    /// Those that still wait do so for the others that are about to come back.
    private void ended() {
        running = false;
        for (Request request : waiting) {
            if (request != null) {
                request.since = System.nanoTime();
            }
        }
        notifyAll();
    }
}
