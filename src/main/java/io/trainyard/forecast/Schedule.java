package io.trainyard.forecast;

import io.trainyard.custody.ClaimOrder;
import io.trainyard.event.Control.Urgency;
import io.trainyard.forecast.PaceModel.Guess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// What may become of a line of jobs: in each draw all that is not known is drawn, and then workers take jobs as they
/// do. Bounded by draws times jobs.
final class Schedule {
    /// From when a worker is free until it has the next job.
    private static final double LOG_CLAIM_SECONDS = Math.log(0.25);

    private static final double CLAIM_DEVIATION = 0.4;

    /// Jobs that come meanwhile, in one draw: for each that waits, and besides.
    private static final int MAX_COMING = 3;

    private static final int MAX_COMING_BESIDES = 1_000;
    private static final double FAR_SECONDS = StartEstimate.FAR_MILLIS / 1e3;
    private static final int LANES = Lane.values().length;
    private static final int[][] ORDERS = orders();
    private static final int TOPICS = Urgency.values().length * LANES;

    private final List<WaitingLine.Place> line;
    private final List<Slot> slots;
    private final List<Arrivals> arrivals;
    private final EarlyEnds ends;
    private final int[][] topics = new int[TOPICS][]; // places of the line
    private final int[] kinds; // by slot
    private final boolean[][] looks; // by slot and lane
    private final long[] seeds; // by place
    private final boolean[] stops; // the same: whether it may stop early
    private final double[] done; // the part of its steps that is
    private final List<String> kindNames = new ArrayList<>();
    private final double[][] logSeconds; // by kind and place
    private final double[][] common; // the same
    private final double[][] each;
    private final int[][] classes;
    private final Map<String, Integer> classNumbers = new HashMap<>();

    /// @param line those that somebody will take
    /// @param slots of the workers that take jobs
    Schedule(List<WaitingLine.Place> line, List<Slot> slots, List<Arrivals> arrivals, PaceModel pace, EarlyEnds ends) {
        this.line = line;
        this.slots = slots;
        this.arrivals = arrivals;
        this.ends = ends;
        kinds = slots.stream().mapToInt(slot -> number(slot.kind())).toArray();
        looks = new boolean[slots.size()][LANES];
        for (int i = 0; i < slots.size(); i++) {
            for (Lane lane : slots.get(i).lanes()) {
                looks[i][lane.ordinal()] = true;
            }
        }
        for (int topic = 0; topic < TOPICS; topic++) {
            int its = topic;
            topics[topic] = IntStream.range(0, line.size())
                    .filter(i -> topic(line.get(i).urgency(), line.get(i).lane()) == its)
                    .toArray();
        }
        seeds = line.stream().mapToLong(place -> place.job().job().hashCode()).toArray();
        done = line.stream().mapToDouble(place -> place.job().part()).toArray();
        stops = new boolean[line.size()];
        for (int i = 0; i < stops.length; i++) {
            JobFacts.Work work = line.get(i).job().work();
            stops[i] = work != null && work.stopsEarly();
        }
        logSeconds = new double[kindNames.size()][line.size()];
        common = new double[kindNames.size()][line.size()];
        each = new double[kindNames.size()][line.size()];
        classes = new int[kindNames.size()][line.size()];
        guess(pace);
    }

    /// In which order of urgency a worker looks for its next job, by how many it has taken.
    private static int[][] orders() {
        return IntStream.range(0, ClaimOrder.CYCLE)
                .mapToObj(taken -> ClaimOrder.after(taken).stream()
                        .mapToInt(priority -> priority.urgency().ordinal())
                        .toArray())
                .toArray(int[][]::new);
    }

    private void guess(PaceModel pace) {
        for (int kind = 0; kind < kindNames.size(); kind++) {
            for (int i = 0; i < line.size(); i++) {
                WaitingLine.Place place = line.get(i);
                String runsOn = place.lane() == Lane.COMMON
                        ? kindNames.get(kind)
                        : place.lane().kind();
                Guess guess = pace.of(place.job().work(), place.job().part(), runsOn);
                logSeconds[kind][i] = guess.logSeconds();
                common[kind][i] = guess.common();
                each[kind][i] = guess.each();
                classes[kind][i] = classNumbers.computeIfAbsent(guess.cls(), _ -> classNumbers.size());
            }
        }
    }

    private int number(String kind) {
        if (!kindNames.contains(kind)) {
            kindNames.add(kind);
        }
        return kindNames.indexOf(kind);
    }

    private static int topic(Urgency urgency, Lane lane) {
        return urgency.ordinal() * LANES + lane.ordinal();
    }

    /// When each job of the line begins, in seconds from now, by place and draw; infinite where no worker looks at it.
    float[][] draw(int draws) {
        float[][] starts = new float[line.size()][draws];
        for (int draw = 0; draw < draws; draw++) {
            new Draw(draw).run(starts);
        }
        return starts;
    }

    /// What is still to come of one urgency and lane, in one draw.
    private static final class Coming {
        final Arrivals arrivals;
        final double rate;
        final SplittableRandom chance;
        double nextSeconds;
        int left; // of the burst

        Coming(Arrivals arrivals, SplittableRandom chance) {
            this.arrivals = arrivals;
            this.chance = chance;
            rate = arrivals.rate(chance);
            burst(0);
        }

        void burst(double fromSeconds) {
            nextSeconds = rate <= 0 ? Double.POSITIVE_INFINITY : fromSeconds + chance.nextExponential() / rate;
            left = rate <= 0 ? 0 : arrivals.size(chance);
        }

        double take() {
            Guess guess = arrivals.job(chance);
            if (--left == 0) {
                burst(nextSeconds);
            }
            return Math.exp(guess.logSeconds() + Math.hypot(guess.common(), guess.each()) * chance.nextGaussian());
        }
    }

    private final class Draw {
        final int draw;
        final int[] taken = new int[TOPICS]; // of each topic
        final @Nullable Coming[] coming = new @Nullable Coming[TOPICS];
        final int[] turn = new int[slots.size() * Urgency.values().length]; // which lane is asked first
        final int[] jobs; // that each slot has taken: how many before now, nobody knows
        final double[] effects = new double[slots.size()];
        final double[] commons = new double[classNumbers.size()];
        int left = line.size();
        int comers = MAX_COMING * line.size() + MAX_COMING_BESIDES;

        Draw(int draw) {
            this.draw = draw;
            SplittableRandom chance = new SplittableRandom(draw);
            jobs = chance.ints(slots.size(), 0, ClaimOrder.CYCLE).toArray();
            arrivals.forEach(some ->
                    coming[topic(some.which().urgency(), some.which().lane())] = new Coming(some, chance.split()));
            for (int i = 0; i < commons.length; i++) {
                commons[i] = NormalTable.normal(NormalTable.mix(i, 1_000_003L * draw));
            }
        }

        void run(float[][] starts) {
            SlotHeap heap = new SlotHeap(freeSeconds());
            while (left > 0 && !heap.isEmpty() && heap.time() < FAR_SECONDS) {
                int slot = heap.top();
                double now = heap.time();
                int topic = next(slot, now);
                if (topic < 0) {
                    heap.removeTop(); // nobody waits any more for this one
                } else if (taken[topic] < topics[topic].length) {
                    int place = topics[topic][taken[topic]++];
                    left--;
                    starts[place][draw] = (float) now;
                    heap.delayTop(now + seconds(place, slot) + claim(seeds[place]));
                } else {
                    comers--;
                    heap.delayTop(now + Objects.requireNonNull(coming[topic]).take() + claim(comers));
                }
            }
            for (int topic = 0; topic < TOPICS; topic++) {
                for (int i = taken[topic]; i < topics[topic].length; i++) {
                    starts[topics[topic][i]][draw] = Float.POSITIVE_INFINITY;
                }
            }
        }

        private double[] freeSeconds() {
            double[] free = new double[slots.size()];
            for (int i = 0; i < free.length; i++) {
                Slot slot = slots.get(i);
                long worker = NormalTable.mix(slot.worker().hashCode(), draw);
                effects[i] = slot.effect() + slot.effectDeviation() * NormalTable.normal(worker);
                free[i] = (slot.rest() == null ? 0 : slot.rest().seconds(draw, ends)) + claim(i);
            }
            return free;
        }

        /// The topic that a slot takes its next job from; less than 0: there is none for it, nor will be one of those
        /// that wait now.
        private int next(int slot, double now) {
            for (int urgency : ORDERS[jobs[slot] % ClaimOrder.CYCLE]) {
                int turns = slot * Urgency.values().length + urgency;
                for (int i = 0; i < LANES; i++) {
                    int lane = (turn[turns] + i) % LANES;
                    int topic = urgency * LANES + lane;
                    if (looks[slot][lane] && (taken[topic] < topics[topic].length || hasCome(topic, now))) {
                        turn[turns] = lane + 1;
                        jobs[slot]++;
                        return topic;
                    }
                }
            }
            return -1;
        }

        private boolean hasCome(int topic, double now) {
            Coming its = coming[topic];
            return its != null && comers > 0 && its.nextSeconds <= now;
        }

        private double seconds(int place, int slot) {
            int kind = kinds[slot];
            long hash = NormalTable.mix(seeds[place], 7_919L * draw + 1);
            double log = logSeconds[kind][place]
                    + common[kind][place] * commons[classes[kind][place]]
                    + each[kind][place] * NormalTable.normal(hash)
                    + effects[slot];
            double part = ends.part(stops[place], done[place], NormalTable.mix(hash, 300), draw);
            return Math.exp(log) * (done[place] < 1 ? (part - done[place]) / (1 - done[place]) : 1);
        }

        private double claim(long which) {
            double normal = NormalTable.normal(NormalTable.mix(which, 31L * draw + 5));
            return Math.exp(LOG_CLAIM_SECONDS + CLAIM_DEVIATION * normal);
        }
    }
}
