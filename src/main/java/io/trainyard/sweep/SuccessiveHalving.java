package io.trainyard.sweep;

import static java.util.Locale.ROOT;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.GroupFolder;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.AshaSpec;
import io.trainyard.spec.JobSpec;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Asynchronous successive halving: decides which jobs continue after a rung. Only the results in the store
/// count, so every worker comes to the same decision. A result is stored before it is used.
public final class SuccessiveHalving {
    private final Function<String, GroupFolder> groups;

    public SuccessiveHalving(CheckpointStore store) {
        this(group -> new GroupFolder(store, group));
    }

    public SuccessiveHalving(Function<String, GroupFolder> groups) {
        this.groups = groups;
    }

    /// Stores the test result of a job at a rung, and decides whether the job is paused there.
    ///
    /// @param score higher is better
    /// @return the reason for the pause; empty if it continues
    public Optional<String> isPaused(JobSpec job, int attempt, int epochs, double score) {
        AshaSpec asha = job.asha();
        if (asha == null || job.group() == null || !asha.rungs(job.epochs()).contains(epochs)) {
            return Optional.empty();
        }
        GroupFolder group = groups.apply(job.group());
        group.keepResult(epochs, job.id(), attempt, Rung.text(score));
        Rung rung = Rung.of(group.results(epochs));
        if (rung.best(asha.reductionFactor()).contains(job.id())) {
            return Optional.empty();
        }
        int places = rung.places(asha.reductionFactor());
        return Optional.of(String.format(
                ROOT,
                "after %d epochs its %s is %.4f, and of the %d jobs of %s that were tested there %s",
                epochs,
                job.decidingMetric().label(),
                job.decidingMetric().score(score),
                rung.scores().size(),
                job.group(),
                places == 0
                        ? "none continues yet"
                        : places == 1 ? "one continues" : "the best " + places + " continue"));
    }

    /// Voids what earlier attempts have found beyond the epoch that an attempt resumes from, or will find there:
    /// they are superseded. To be called before the attempt publishes anything.
    ///
    /// @param epochs done
    public void resumes(JobSpec job, int attempt, int epochs) {
        AshaSpec asha = job.asha();
        if (asha != null && job.group() != null) {
            GroupFolder group = groups.apply(job.group());
            asha.rungs(job.epochs()).stream()
                    .filter(rung -> rung > epochs)
                    .forEach(rung -> group.approach(rung, job.id(), attempt));
        }
    }

    /// Stores that a job ended before its next rung, so that the rung does not wait for it. Every process that
    /// publishes the end calls this after the end is a link of the job's chain; repeated calls change nothing.
    ///
    /// @param end the event; only ends before the last epoch count
    /// @param number of the link, which is higher than those of all attempts
    /// @param lastScore of the last test; null if there is none
    public void ended(JobSpec job, TrainingEvent end, int number, Supplier<@Nullable Double> lastScore) {
        AshaSpec asha = job.asha();
        if (asha == null || job.group() == null) {
            return;
        }
        Double score = switch (end) {
            case TrainingEvent.Failed _ -> Double.valueOf(Double.NaN);
            case TrainingEvent.Finished finished when finished.stoppedEarly() != null -> lastScore.get();
            default -> null; // it was at its last epoch, or leaves the sweep
        };
        if (score == null) {
            return;
        }
        GroupFolder group = groups.apply(job.group());
        for (int rung : asha.rungs(job.epochs())) {
            GroupFolder.Result kept = group.results(rung).get(job.id());
            if (kept == null) {
                group.keepResult(rung, job.id(), number, Rung.text(score));
            }
            if (kept == null || kept.attempt() == number) {
                return;
            }
        }
    }

    /// The paused jobs that continue according to the current results. Each rung is read once.
    ///
    /// @param paused jobs of one group
    public List<String> goOn(Collection<JobSpec> paused) {
        Map<Integer, Rung> read = new HashMap<>();
        Map<Rung.Place, Set<String>> best = new HashMap<>();
        return paused.stream()
                .filter(job -> goesOn(job, read, best))
                .map(JobSpec::id)
                .toList();
    }

    private boolean goesOn(JobSpec job, Map<Integer, Rung> read, Map<Rung.Place, Set<String>> best) {
        AshaSpec asha = job.asha();
        if (asha == null || job.group() == null) {
            return true;
        }
        GroupFolder group = groups.apply(job.group());
        for (int epochs : asha.rungs(job.epochs()).reversed()) {
            Rung rung = read.computeIfAbsent(epochs, _ -> Rung.of(group.results(epochs)));
            if (rung.scores().containsKey(job.id())) {
                return best.computeIfAbsent(
                                new Rung.Place(epochs, asha.reductionFactor()),
                                place -> Set.copyOf(rung.best(place.reductionFactor())))
                        .contains(job.id());
            }
        }
        return true; // its result is lost, and it reports it again
    }
}
