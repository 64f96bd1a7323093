package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.Slow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Real workers in simulated worlds full of faults: no job is lost or ends twice, and no step is missing or
/// published twice.
@ExtendWith(SilentWorkers.class)
class SimOwnershipTest {
    /// Part of `./trainyard test`.
    private static final int FEW = 100;

    /// Enough to show most mistakes of [SimMutationTest], including the seeds around the rarest one. A campaign
    /// runs more.
    private static final int SEEDS = 450;

    private static final int RARE = 2090;
    private static final int AROUND_RARE = 50;

    private static final int STALE = 100;

    private static final SimSeeds WORLDS = new SimSeeds(seed -> new SimOwnership(seed).run());

    private static final SimSeeds STALE_WORLDS = new SimSeeds(seed -> new SimOwnership(seed, new SimSeams() {
                @Override
                public Duration listLag() {
                    return Duration.ofSeconds(10);
                }
            })
            .run());

    @Test
    void eachJobEndsOnce() {
        assertThat(WORLDS.wrong(0, FEW)).isEmpty();
    }

    @Slow
    @Test
    void moreSeeds() {
        assertThat(WORLDS.wrong(FEW, SEEDS - FEW)).isEmpty();
        assertThat(WORLDS.wrong(RARE, AROUND_RARE)).isEmpty();
    }

    @Slow
    @Test
    void jobsEndWithStaleListsOfTheStore() {
        assertThat(STALE_WORLDS.wrong(0, STALE)).isEmpty();
    }

    @Test
    void aSeedDeterminesTheTrace() {
        for (long seed = 0; seed < 5; seed++) {
            SimOwnership first = new SimOwnership(seed);
            SimOwnership second = new SimOwnership(seed);
            assertThat(first.run()).isEqualTo(second.run());
            assertThat(first.world().trace()).isEqualTo(second.world().trace());
        }
    }

    /// Runs `-Dseeds` seeds from `-Dseed` on, with `-Dstale-lists=true` in worlds with stale lists. Prints the
    /// seeds that find a fault.
    @Test
    @Campaign
    void manySeeds() {
        SimSeeds worlds = Boolean.getBoolean("stale-lists") ? STALE_WORLDS : WORLDS;
        long first = Long.getLong("seed", 0);
        long end = first + Long.getLong("seeds", 2000);
        List<String> wrong = new ArrayList<>();
        for (long seed = first; seed < end; seed += 1000) {
            List<String> found = worlds.wrong(seed, Math.min(1000, end - seed));
            wrong.addAll(found);
            System.out.printf(
                    "%tT seed %d: %d found so far %s%n", System.currentTimeMillis(), seed, wrong.size(), found);
        }
        assertThat(wrong).isEmpty();
    }
}
