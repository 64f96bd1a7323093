package io.trainyard.forecast;

import io.trainyard.custody.PreemptionRule;
import io.trainyard.custody.PreemptionRule.Running;
import io.trainyard.event.Control.Urgency;
import io.trainyard.share.Turns;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// One draw of what may become of a line: all that is not known is drawn, and then workers take jobs as they do.
final class Draw {
    /// From when a worker is free until it has the next job.
    private static final double LOG_CLAIM_SECONDS = Math.log(0.25);

    private static final double CLAIM_DEVIATION = 0.4;

    /// From when something urgent waits until the job that makes room for it has halted, with a checkpoint.
    private static final double LOG_ROOM_SECONDS = Math.log(1.2);

    private static final double ROOM_DEVIATION = 0.5;

    /// What it costs to go on elsewhere.
    private static final double AGAIN_SECONDS = 2;

    /// Jobs that come meanwhile, in one draw: for each that waits, and besides.
    private static final int MAX_COMING = 3;

    private static final int MAX_COMING_BESIDES = 1_000;
    private static final double FAR_SECONDS = StartEstimate.FAR_MILLIS / 1e3;

    /// A job that has made room and waits again.
    private record Again(Task task, double seconds, double sinceSeconds) {}

    /// A slot whose job would make room.
    private record Candidate(Task task, int slot) {
        static final Comparator<Candidate> ORDER = Comparator.comparing(
                        (Candidate one) -> one.task().running(), PreemptionRule.VICTIMS_FIRST)
                .thenComparingInt(Candidate::slot);
    }

    private final Schedule schedule;
    private final int draw;
    private final Turns turns;
    private final int[] taken; // of each queue
    private final @Nullable Coming[] coming; // to each queue
    private final List<Coming> urgent = new ArrayList<>();
    private final Map<Integer, Deque<Again>> again = new HashMap<>(); // by queue
    private final int[] laneTurns; // which lane is asked first, by slot and urgency
    private final int[] jobs; // that each slot has taken: how many before now, nobody knows
    private final boolean[] madeRoom; // by slot: what is urgent comes next
    private final @Nullable Task[] tasks; // that the slots have
    private final double[] effects; // of the slots
    private final double[] commons;
    private final IdleSlots idle = new IdleSlots();
    private final PriorityQueue<Candidate> candidates = new PriorityQueue<>(Candidate.ORDER);
    private final boolean[] waiting; // by project, anew for each question
    private final SlotHeap heap;
    private int left;
    private int comers;

    Draw(Schedule schedule, int draw) {
        this.schedule = schedule;
        this.draw = draw;
        int slots = schedule.slots.size();
        turns = new Turns(schedule.turns);
        taken = new int[schedule.queues.length];
        coming = new @Nullable Coming[schedule.queues.length];
        laneTurns = new int[slots * Schedule.URGENCIES];
        madeRoom = new boolean[slots];
        tasks = new @Nullable Task[slots];
        effects = new double[slots];
        waiting = new boolean[schedule.projects];
        commons = schedule.commons(draw);
        left = schedule.line.size();
        comers = MAX_COMING * left + MAX_COMING_BESIDES;
        SplittableRandom chance = new SplittableRandom(draw);
        jobs = chance.ints(slots, 0, Schedule.ORDERS.length).toArray();
        for (Arrivals some : schedule.arrivals) {
            Coming its = new Coming(some, chance.split());
            coming[
                    schedule.queue(
                            some.which().urgency(),
                            some.which().lane(),
                            some.which().project())] = its;
            if (some.which().urgency() == Urgency.HIGH) {
                urgent.add(its);
            }
        }
        heap = new SlotHeap(freeSeconds());
    }

    private double[] freeSeconds() {
        double[] free = new double[tasks.length];
        for (int i = 0; i < free.length; i++) {
            Slot slot = schedule.slots.get(i);
            long worker = NormalTable.mix(slot.worker().hashCode(), draw);
            effects[i] = slot.effect() + slot.effectDeviation() * NormalTable.normal(worker);
            free[i] = (slot.rest() == null ? 0 : slot.rest().seconds(draw, schedule.ends)) + claim(i);
            if (slot.task() != null) {
                has(i, slot.task());
            }
        }
        return free;
    }

    void run(float[][] starts) {
        for (int slot : schedule.victims) {
            makeRoom(slot, 0);
        }
        double now = 0;
        while (left > 0 && !heap.isEmpty() && now < FAR_SECONDS) {
            Coming next = nextUrgent();
            if (next != null && next.nextSeconds() < heap.time()) {
                now = pass(Math.max(now, next.nextSeconds()));
                arrive(next, now);
            } else {
                now = pass(heap.time());
                free(heap.top(), now, starts);
            }
        }
        for (int queue = 0; queue < taken.length; queue++) {
            for (int i = taken[queue]; i < schedule.queues[queue].length; i++) {
                starts[schedule.queues[queue][i]][draw] = Float.POSITIVE_INFINITY;
            }
        }
    }

    private double pass(double now) {
        if (waiting.length > 1) { // else it is always the turn of the one
            turns.pass(now);
        }
        return now;
    }

    /// What is urgent and comes next; null where it could take nobody's place, and so waits for the next slot.
    private @Nullable Coming nextUrgent() {
        if (comers <= 0 || (candidates.isEmpty() && idle.isEmpty())) {
            return null;
        }
        Coming next = null;
        for (Coming some : urgent) {
            if (next == null || some.nextSeconds() < next.nextSeconds()) {
                next = some;
            }
        }
        return next;
    }

    /// Something urgent comes: an idle slot takes it, or else a job makes room for it.
    private void arrive(Coming some, double now) {
        some.arrive();
        comers--;
        Lane lane = some.which().lane();
        if (!turns.hasRoom(some.which().project())) {
            return;
        }
        int free = idle.take(lane);
        if (free >= 0) {
            heap.add(free, now + claim(comers));
            return;
        }
        List<Candidate> others = new ArrayList<>();
        for (Candidate one = candidates.poll(); one != null; one = candidates.poll()) {
            boolean has = one.task().equals(tasks[one.slot()]);
            if (has && (schedule.masks[one.slot()] >> lane.ordinal() & 1) == 1) {
                makeRoom(one.slot(), now);
                break;
            } else if (has) {
                others.add(one);
            }
        }
        candidates.addAll(others);
    }

    /// The job of a slot makes room, unless it ends before it can.
    private void makeRoom(int slot, double now) {
        double normal = NormalTable.normal(NormalTable.mix(slot, 37L * draw + 11));
        double halted = now + Math.exp(LOG_ROOM_SECONDS + ROOM_DEVIATION * normal);
        Task task = tasks[slot];
        double rest = heap.time(slot) - halted;
        if (task == null || rest <= 0) {
            return;
        }
        drop(slot);
        Task its = task.madeRoom();
        int queue = schedule.queue(its.running().priority().urgency(), its.lane(), its.project());
        again.computeIfAbsent(queue, _ -> new ArrayDeque<>()).addLast(new Again(its, rest + AGAIN_SECONDS, halted));
        madeRoom[slot] = true;
        heap.hasten(slot, Math.min(heap.time(slot), halted + claim(slot)));
    }

    private void has(int slot, Task task) {
        tasks[slot] = task;
        Running running = task.running();
        boolean mayYield = schedule.slots.get(slot).makesRoom() && running.makesRoom(PreemptionRule.MOST);
        if (mayYield && !urgent.isEmpty()) {
            candidates.add(new Candidate(task, slot));
        }
    }

    private void drop(int slot) {
        Task task = tasks[slot];
        if (task != null) {
            turns.end(task.project(), task.devices());
            tasks[slot] = null;
        }
    }

    /// A slot is free: it takes a job, or is idle.
    private void free(int slot, double now, float[][] starts) {
        if (tasks[slot] != null) {
            drop(slot);
            wake(now);
        }
        int queue = next(slot, now);
        madeRoom[slot] = false;
        if (queue < 0) {
            heap.removeTop();
            idle.add(schedule.masks[slot], slot);
            return;
        }
        Deque<Again> its = again.isEmpty() ? null : again.get(queue);
        Again waits = its == null ? null : its.peekFirst();
        if (taken[queue] < schedule.queues[queue].length) {
            int place = schedule.queues[queue][taken[queue]++];
            left--;
            starts[place][draw] = (float) now;
            double seconds = schedule.seconds(place, slot, draw, commons, effects[slot]);
            begin(slot, schedule.tasks[place], now + seconds + claim(schedule.seeds[place]));
        } else if (its != null && waits != null && !hasCome(queue, waits.sinceSeconds())) {
            its.removeFirst();
            begin(slot, waits.task(), now + waits.seconds() + claim(slot));
        } else {
            comers--;
            begin(
                    slot,
                    schedule.comers[queue],
                    now + Objects.requireNonNull(coming[queue]).take() + claim(comers));
        }
    }

    private void begin(int slot, Task task, double until) {
        turns.begin(task.project(), task.devices());
        has(slot, task);
        heap.delayTop(until);
    }

    /// A job has ended: where its project had its quota, another may begin, and one of those that found nothing take
    /// it.
    private void wake(double now) {
        idle.takeOneOfEach().forEach(slot -> heap.add(slot, now));
    }

    /// The queue that a slot takes its next job from; less than 0: there is none for it.
    private int next(int slot, double now) {
        int[] order = Schedule.ORDERS[madeRoom[slot] ? 0 : jobs[slot] % Schedule.ORDERS.length];
        for (int urgency : order) {
            for (int project = 0; project < waiting.length; project++) {
                waiting[project] = lane(slot, urgency, project, now) >= 0;
            }
            int project = turns.next(waiting);
            if (project >= 0) {
                int lane = lane(slot, urgency, project, now);
                laneTurns[slot * Schedule.URGENCIES + urgency] = lane + 1;
                jobs[slot] += madeRoom[slot] ? 0 : 1;
                return (urgency * Schedule.LANES + lane) * waiting.length + project;
            }
        }
        return -1;
    }

    /// The lane in which a job of a project is there for a slot; less than 0: there is none.
    private int lane(int slot, int urgency, int project, double now) {
        int first = laneTurns[slot * Schedule.URGENCIES + urgency];
        for (int i = 0; i < Schedule.LANES; i++) {
            int lane = (first + i) % Schedule.LANES;
            if ((schedule.masks[slot] >> lane & 1) == 1
                    && isAny((urgency * Schedule.LANES + lane) * waiting.length + project, now)) {
                return lane;
            }
        }
        return -1;
    }

    private boolean isAny(int queue, double now) {
        return taken[queue] < schedule.queues[queue].length || isAgain(queue) || hasCome(queue, now);
    }

    private boolean isAgain(int queue) {
        Deque<Again> its = again.isEmpty() ? null : again.get(queue);
        return its != null && !its.isEmpty();
    }

    private boolean hasCome(int queue, double now) {
        Coming its = coming[queue];
        return its != null && comers > 0 && its.isThere(now);
    }

    private double claim(long which) {
        double normal = NormalTable.normal(NormalTable.mix(which, 31L * draw + 5));
        return Math.exp(LOG_CLAIM_SECONDS + CLAIM_DEVIATION * normal);
    }
}
