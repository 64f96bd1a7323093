package io.trainyard.forecast;

import io.trainyard.event.JobState.Status;
import java.util.ArrayList;
import java.util.List;

/// How often jobs end before their last epoch, and where: they fail, somebody cancels them, or `stopWhen` is met.
final class EarlyEnds {
    /// Of jobs that may stop early and of others: what is thought before any has ended, as if so many had.
    private static final double STOPPING = 2;

    private static final double OTHERS = 1.5;

    private final Ends stopping = new Ends(STOPPING, 0.5);
    private final Ends others = new Ends(OTHERS, 0.08);

    private static final class Ends {
        final double belief;
        final double early;
        final List<Double> parts = new ArrayList<>();
        int ended;

        Ends(double belief, double early) {
            this.belief = belief;
            this.early = early;
        }

        /// The fewer have ended, the further apart in the draws.
        double chance(int draw) {
            double seen = ended + belief;
            double mean = (parts.size() + belief * early) / seen;
            double deviation = Math.sqrt(mean * (1 - mean) / (seen + 1));
            return mean + deviation * NormalTable.normal(NormalTable.mix(99, draw));
        }

        /// As one of those that are known, or anywhere.
        double part(long hash) {
            double luck = NormalTable.uniform(hash) * (parts.size() + 1);
            return luck < parts.size() ? parts.get((int) luck) : luck - parts.size();
        }
    }

    EarlyEnds(List<JobFacts> jobs) {
        for (JobFacts job : jobs) {
            boolean ended = job.status().isFinal() && job.status() != Status.REJECTED;
            if (ended && job.work() != null && job.work().epochs() > 0) {
                Ends ends = of(job.work().stopsEarly());
                ends.ended++;
                if (job.status() != Status.FINISHED || job.part() < 1) {
                    ends.parts.add(job.part());
                }
            }
        }
    }

    private Ends of(boolean stopsEarly) {
        return stopsEarly ? stopping : others;
    }

    /// The part of a job's work after which it ends in one draw: 1 where it does all of it.
    ///
    /// @param done the part that it has done
    double part(boolean stopsEarly, double done, long hash, int draw) {
        Ends ends = of(stopsEarly);
        if (NormalTable.uniform(hash) >= ends.chance(draw)) {
            return 1;
        }
        double part = ends.part(NormalTable.mix(hash, 1));
        return part > done ? part : 1;
    }
}
