package io.trainyard.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/// Worlds of one kind, one per seed.
final class SimSeeds {
    private final LongFunction<List<String>> world;

    /// @param world runs the world of a seed and returns violations, as sentences
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

    /// Violations in a range of seeds.
    List<String> wrong(long first, long count) {
        List<String> wrong = new ArrayList<>();
        for (long seed = first; seed < first + count; seed++) {
            for (String sentence : wrong(seed)) {
                wrong.add("seed %d: %s".formatted(seed, sentence));
            }
        }
        return wrong;
    }

    /// Violations in `-Dseeds` seeds from `-Dseed` on.
    ///
    /// @param count the number of seeds if `-Dseeds` is not set
    List<String> wrongOfCampaign(long count) {
        return wrong(Long.getLong("seed", 0), Long.getLong("seeds", count));
    }

    /// The first seed of a range with a violation.
    OptionalLong finds(long first, long count) {
        return LongStream.range(first, first + count)
                .filter(seed -> !wrong(seed).isEmpty())
                .findFirst();
    }
}
