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
            Map.entry(SimMistake.REPUBLISHES_ENDS_WITHOUT_EVENTS, 173L),
            Map.entry(SimMistake.RESUMES_FROM_LATE_CHECKPOINT, 404L),
            Map.entry(SimMistake.IGNORES_LATER_ATTEMPTS, 210L),
            Map.entry(SimMistake.END_IS_OVERWRITTEN, 1535L),
            Map.entry(SimMistake.OWNERSHIP_ENDS_BEFORE_OUTCOME, 2108L),
            Map.entry(SimMistake.VOID_COPY_REPAIRS_NOTHING, 342L),
            Map.entry(SimMistake.PUBLISHES_BEFORE_STORING, 680L),
            Map.entry(SimMistake.HEARTBEAT_WITH_FIRST_JOB_ONLY, 74L),
            Map.entry(SimMistake.RELEASES_ONE_JOB_ONLY, 1020L),
            Map.entry(SimMistake.DELETES_WITHOUT_FENCE, 154L),
            Map.entry(SimMistake.END_BY_SUPERSEDED_ATTEMPT, 142L),
            Map.entry(SimMistake.NO_REPUBLISHING_AT_LAST_DELIVERY, 569L));

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
