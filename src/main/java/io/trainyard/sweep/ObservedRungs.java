package io.trainyard.sweep;

import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Epoch;
import io.trainyard.event.JobState.Status;
import io.trainyard.spec.AshaSpec;
import io.trainyard.spec.JobSpec;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/// The rungs of a group according to the published events, for display only; [SuccessiveHalving] decides by the store.
public final class ObservedRungs {
    private final Collection<JobState> group;
    private final Map<Rung.Place, Set<String>> best = new HashMap<>();

    private ObservedRungs(Collection<JobState> group) {
        this.group = group;
    }

    /// Whether a group has unfinished jobs: a job runs, waits, or is paused at a rung and among its best, so
    /// that it will continue soon.
    public static boolean areOpen(Collection<JobState> group) {
        ObservedRungs rungs = new ObservedRungs(group);
        return group.stream()
                .anyMatch(job -> job.status() == Status.QUEUED
                        || job.status() == Status.RUNNING
                        || (job.status() == Status.PAUSED && rungs.isAmongBest(job)));
    }

    private boolean isAmongBest(JobState job) {
        JobSpec spec = job.spec();
        Integer epochs = job.rung();
        return spec != null
                && spec.asha() != null
                && epochs != null
                && best.computeIfAbsent(new Rung.Place(epochs, spec.asha().reductionFactor()), this::best)
                        .contains(job.job());
    }

    private Set<String> best(Rung.Place place) {
        Map<String, Double> scores = new HashMap<>();
        group.forEach(job -> score(job, place.epochs()).ifPresent(score -> scores.put(job.job(), score)));
        return Set.copyOf(new Rung(scores).best(place.reductionFactor()));
    }

    /// Of its test there; of one that ended before, at its next rung, as [SuccessiveHalving#ends] keeps it.
    private static OptionalDouble score(JobState job, int epochs) {
        JobSpec spec = job.spec();
        AshaSpec asha = spec == null ? null : spec.asha();
        if (spec == null || asha == null) {
            return OptionalDouble.empty();
        }
        List<Epoch> tests = job.epochs();
        int tested = tests.isEmpty() ? 0 : tests.getLast().epoch() + 1;
        if (tested >= epochs) {
            return tests.stream()
                    .filter(test -> test.epoch() + 1 == epochs)
                    .mapToDouble(test -> spec.decidingMetric().score(test))
                    .findFirst();
        }
        boolean isNext = asha.rungs(spec.epochs()).stream()
                        .filter(rung -> rung > tested)
                        .findFirst()
                        .orElse(0)
                == epochs;
        if (!isNext) {
            return OptionalDouble.empty();
        }
        return switch (job.status()) {
            case FAILED -> OptionalDouble.of(Double.NaN);
            case FINISHED ->
                tests.isEmpty()
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(spec.decidingMetric().score(tests.getLast()));
            case QUEUED, RUNNING, PAUSED, CANCELLED, REJECTED, EXPANDED -> OptionalDouble.empty();
        };
    }
}
