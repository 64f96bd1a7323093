package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A simulator that finds nothing proves nothing: each mistake that is put in on purpose is found.
@Slow
@ExtendWith(SilentWorkers.class)
class SimMutationTest {
    private static final long SEEDS = 1000;

    /// Where the search for a mistake begins that few worlds show: a little before the world that last showed it.
    private static final Map<SimMistake, Long> RARE = Map.of(
            SimMistake.CUSTODY_ENDS_FIRST, 2100L,
            SimMistake.LATE_CHECKPOINT_IS_TAKEN, 400L,
            SimMistake.ONE_JOB_IS_HANDED_OVER, 1010L,
            SimMistake.OUTCOME_IS_WRITTEN_OVER, 1530L,
            SimMistake.TELLS_BEFORE_IT_KEEPS, 680L,
            SimMistake.VOID_MENDS_NOTHING, 340L);

    @ParameterizedTest
    @EnumSource(SimMistake.class)
    void aSeedFindsTheMistake(SimMistake mistake) {
        long first = RARE.getOrDefault(mistake, 0L);
        OptionalLong found = LongStream.range(first, first + SEEDS)
                .filter(seed -> finds(seed, mistake) && !finds(seed, mistake.control()))
                .findFirst();
        assertThat(found).as(mistake.what()).isPresent();
        System.out.printf(
                "| %s | %s | %d |%n",
                mistake.what(), mistake.scenario() == 0 ? "" : mistake.scenario(), found.getAsLong());
    }

    private static boolean finds(long seed, SimSeams seams) {
        try {
            return !new SimCustody(seed, seams).run().isEmpty();
        } catch (SimFailure e) {
            return true;
        }
    }
}
