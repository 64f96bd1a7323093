package io.trainyard.sweep;

import static java.util.Locale.ROOT;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.GroupFolder;
import io.trainyard.spec.AshaSpec;
import io.trainyard.spec.JobSpec;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Asynchronous successive halving: which jobs go on after a rung. The store has each job's result at each rung, and
/// nothing else counts: whoever asks, however often, is told by what is there. A result is kept before anything is
/// decided by it.
public final class Halving {
    private final Function<String, GroupFolder> groups;

    public Halving(CheckpointStore store) {
        this(group -> new GroupFolder(store, group));
    }

    /// @param groups what each group keeps
    public Halving(Function<String, GroupFolder> groups) {
        this.groups = groups;
    }

    /// Keeps what a job's test after so many epochs has found, and says whether it rests there.
    ///
    /// @param score the greater the better
    /// @return why it rests; empty: it goes on
    public Optional<String> rests(JobSpec job, int epochs, double score) {
        AshaSpec asha = job.asha();
        if (asha == null || job.group() == null || !asha.rungs(job.epochs()).contains(epochs)) {
            return Optional.empty();
        }
        GroupFolder group = groups.apply(job.group());
        group.keepResult(epochs, job.id(), Rung.text(score));
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

    /// Keeps that a job ends before its next rung, so that this need not wait for it.
    ///
    /// @param score of its last test; NaN: it has failed
    public void ends(JobSpec job, double score) {
        AshaSpec asha = job.asha();
        if (asha == null || job.group() == null) {
            return;
        }
        GroupFolder group = groups.apply(job.group());
        for (int rung : asha.rungs(job.epochs())) {
            if (!group.results(rung).containsKey(job.id())) {
                group.keepResult(rung, job.id(), Rung.text(score));
                return;
            }
        }
    }

    /// Those of some jobs that rest which go on by what is known now. Each rung is read once.
    ///
    /// @param resting of one group
    public List<String> goOn(Collection<JobSpec> resting) {
        Map<Integer, Rung> read = new HashMap<>();
        Map<Rung.Place, Set<String>> best = new HashMap<>();
        return resting.stream()
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
