package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Default;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Asynchronous successive halving (Li et al. 2020): at each rung only the best jobs of a group continue; the
/// others are paused until they are among the best.
///
/// @param minEpochs epochs of the first rung; each further rung has `reductionFactor` times as many
/// @param reductionFactor one job out of this number continues
public record AshaSpec(
        @Default("1") int minEpochs, @Default("4") int reductionFactor) {
    public AshaSpec {
        Check.between("asha.minEpochs", minEpochs, 1, JobLimits.MAX_EPOCHS);
        Check.between("asha.reductionFactor", reductionFactor, 2, 1000);
    }

    /// The epochs of the rungs, ascending. The last epoch is never a rung.
    ///
    /// @param epochs of the job
    public List<Integer> rungs(int epochs) {
        List<Integer> rungs = new ArrayList<>();
        for (long rung = minEpochs; rung < epochs; rung *= reductionFactor) {
            rungs.add((int) rung);
        }
        return rungs;
    }

    /// @param job a job of the group
    /// @param jobs size of the group
    /// @throws InvalidJobException if the job has no rung, or if too few jobs reach the last rung for any to
    ///     continue
    public void requireRungs(JobSpec job, int jobs) {
        List<Integer> rungs = rungs(job.epochs());
        if (rungs.isEmpty()) {
            throw new InvalidJobException(
                    "asha.minEpochs is %d, and %s has epochs %d: no epochs are left after a first rung; %s"
                            .formatted(
                                    minEpochs,
                                    job.id(),
                                    job.epochs(),
                                    job.epochs() == 1
                                            ? "give it more epochs, or leave asha out"
                                            : "give it a smaller minEpochs, or more epochs"));
        }
        long left = jobs;
        for (int i = 0; i < rungs.size(); i++) {
            left /= reductionFactor;
        }
        if (left == 0) {
            throw new InvalidJobException(
                    "asha has rungs after the epochs %s, and one of %d trials continues at each: none of %d trials would reach the last epoch; %s"
                            .formatted(
                                    rungs.stream().map(String::valueOf).collect(Collectors.joining(", ")),
                                    reductionFactor,
                                    jobs,
                                    remedy(job.epochs(), jobs)));
        }
    }

    private String remedy(int epochs, int jobs) {
        int rungs = 0;
        for (long left = jobs / reductionFactor; left > 0; left /= reductionFactor) {
            rungs++;
        }
        if (rungs == 0) {
            return jobs == 1
                    ? "leave asha out"
                    : "allowed is a reductionFactor of 2%s".formatted(jobs == 2 ? "" : " to " + jobs);
        }
        int least = minEpochs;
        while (new AshaSpec(least, reductionFactor).rungs(epochs).size() > rungs) {
            least++;
        }
        return "allowed is a minEpochs of at least %d, or more trials".formatted(least);
    }
}
