package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.Slow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Real workers in simulated worlds in which everything goes wrong: no job is lost, none ends twice, no step is
/// missing or told twice.
@Slow
@ExtendWith(SilentWorkers.class)
class SimCustodyTest {
    private static final int SEEDS = 2000;

    private static List<String> wrong(long first, long seeds) {
        List<String> wrong = new ArrayList<>();
        for (long seed = first; seed < first + seeds; seed++) {
            for (String sentence : new SimCustody(seed).run()) {
                wrong.add("seed %d: %s".formatted(seed, sentence));
            }
        }
        return wrong;
    }

    @Test
    void noJobIsLostAndNoneEndsTwice() {
        assertThat(wrong(0, SEEDS)).isEmpty();
    }

    @Test
    void aFleetsTraceFollowsFromItsSeed() {
        for (long seed = 0; seed < 5; seed++) {
            SimCustody first = new SimCustody(seed);
            SimCustody second = new SimCustody(seed);
            assertThat(first.run()).isEqualTo(second.run());
            assertThat(first.world().trace()).isEqualTo(second.world().trace());
        }
    }

    /// As many seeds as `-Dseeds` says, from `-Dseed` on; all that find something are told, and every thousandth.
    @Test
    @Campaign
    void manySeeds() {
        long first = Long.getLong("seed", 0);
        long end = first + Long.getLong("seeds", 2000);
        List<String> wrong = new ArrayList<>();
        for (long seed = first; seed < end; seed += 1000) {
            List<String> found = wrong(seed, Math.min(1000, end - seed));
            wrong.addAll(found);
            System.out.printf(
                    "%tT seed %d: %d found so far %s%n", System.currentTimeMillis(), seed, wrong.size(), found);
        }
        assertThat(wrong).isEmpty();
    }
}
