package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Proves that the simulator can find faults: it finds each injected mistake.
@Slow
@ExtendWith(SilentWorkers.class)
class SimMutationTest {
    private static final long SEEDS = 1000;

    /// Seeds of mistakes that few worlds show. The search begins at the world that last showed the mistake.
    private static final Map<SimMistake, Long> RARE = Map.ofEntries(
            Map.entry(SimMistake.END_WITHOUT_LAST_WORDS, 173L),
            Map.entry(SimMistake.LATE_CHECKPOINT_IS_TAKEN, 404L),
            Map.entry(SimMistake.IGNORES_LATER_ATTEMPTS, 210L),
            Map.entry(SimMistake.OUTCOME_IS_WRITTEN_OVER, 1535L),
            Map.entry(SimMistake.OWNERSHIP_ENDS_FIRST, 2108L),
            Map.entry(SimMistake.VOID_MENDS_NOTHING, 342L),
            Map.entry(SimMistake.PUBLISHES_BEFORE_STORING, 680L),
            Map.entry(SimMistake.FIRST_JOB_ALONE_IS_NAMED, 74L),
            Map.entry(SimMistake.ONE_JOB_IS_HANDED_OVER, 1020L),
            Map.entry(SimMistake.DELETES_WITHOUT_LOOKING, 154L),
            Map.entry(SimMistake.END_IS_NOT_IN_THE_CHAIN, 142L),
            Map.entry(SimMistake.LAST_DELIVERY_IS_LIKE_OTHERS, 569L));

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
            return !new SimOwnership(seed, seams).run().isEmpty();
        } catch (SimFailure e) {
            return true;
        }
    }
}
