package io.trainyard.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/// Worlds of one kind, one for each seed.
final class SimSeeds {
    private final LongFunction<List<String>> world;

    /// @param world lets everything happen in the world of a seed, and gives what is wrong, in sentences
    SimSeeds(LongFunction<List<String>> world) {
        this.world = world;
    }

    private List<String> wrong(long seed) {
        try {
            return world.apply(seed);
        } catch (SimFailure e) {
            return List.of(e.toString());
        }
    }

    /// What is wrong in so many.
    List<String> wrong(long first, long count) {
        List<String> wrong = new ArrayList<>();
        for (long seed = first; seed < first + count; seed++) {
            for (String sentence : wrong(seed)) {
                wrong.add("seed %d: %s".formatted(seed, sentence));
            }
        }
        return wrong;
    }

    /// What is wrong in as many as `-Dseeds` says, from `-Dseed` on.
    ///
    /// @param count how many unless it says it
    List<String> wrongOfCampaign(long count) {
        return wrong(Long.getLong("seed", 0), Long.getLong("seeds", count));
    }

    /// The first of so many in which something is wrong.
    OptionalLong finds(long first, long count) {
        return LongStream.range(first, first + count)
                .filter(seed -> !wrong(seed).isEmpty())
                .findFirst();
    }
}
