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

/// Asynchronous successive halving: which jobs go on after a rung. The store has each job's result at each rung,
/// and nothing else counts: whoever asks, however often, is told by what is there. A result is kept before
/// anything is decided by it.
public final class Halving {
    private final Function<String, GroupFolder> groups;

    public Halving(CheckpointStore store) {
        this(group -> new GroupFolder(store, group));
    }

    public Halving(Function<String, GroupFolder> groups) {
        this.groups = groups;
    }

    /// Keeps what a job's test after so many epochs has found, and says whether it rests there.
    ///
    /// @param score the greater the better
    /// @return why it rests; empty: it goes on
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
                job.loss().isRegression() ? "loss" : "accuracy",
                Math.abs(score),
                rung.scores().size(),
                job.group(),
                places == 0 ? "none goes on yet" : places == 1 ? "one goes on" : "the best " + places + " go on"));
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

    /// Keeps that a job has ended before its next rung, so that the rung need not wait for it. To be called
    /// once the end
    /// is a link of the job's chain, by every process that publishes the end: the second time changes nothing.
    ///
    /// @param end the event; only one that ended the job before its last epoch counts
    /// @param number of the link, which is higher than that of each attempt
    /// @param lastScore of the last test; null where there is none
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

    /// Those of some jobs that rest which go on by what is known now. Each rung is read once.
    ///
    /// @param paused of one group
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
        return true; // its result is lost: it will tell it again
    }
}
