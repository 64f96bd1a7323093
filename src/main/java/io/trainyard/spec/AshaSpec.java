package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Asynchronous successive halving (Li et al. 2020): after so many epochs a job of a group goes on only while it is
/// among the group's best; the others rest there until they are.
///
/// @param minEpochs after which the first is asked; each further rung is after `reductionFactor` times as many
/// @param reductionFactor one of so many goes on
public record AshaSpec(int minEpochs, int reductionFactor) {
    public AshaSpec {
        Check.between("asha.minEpochs", minEpochs, 1, JobLimits.MAX_EPOCHS);
        Check.between("asha.reductionFactor", reductionFactor, 2, 1000);
    }

    @JsonCreator
    static AshaSpec read(@Nullable Integer minEpochs, @Nullable Integer reductionFactor) {
        return new AshaSpec(minEpochs == null ? 1 : minEpochs, reductionFactor == null ? 4 : reductionFactor);
    }

    /// After how many epochs a job is asked, ascending: never after its last.
    ///
    /// @param epochs of the job
    public List<Integer> rungs(int epochs) {
        List<Integer> rungs = new ArrayList<>();
        for (long rung = minEpochs; rung < epochs; rung *= reductionFactor) {
            rungs.add((int) rung);
        }
        return rungs;
    }
}
