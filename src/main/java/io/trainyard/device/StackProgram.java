package io.trainyard.device;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;
import java.util.Objects;

/// What sessions that are trained as one program have in common: all of their workload but the numbers of the
/// optimizer and the loop.
///
/// @param dataset itself: another is another, whatever its samples are
/// @param update which rule the optimizers follow, and what the loops do
public record StackProgram(
        Network network,
        LossSpec loss,
        int batchSize,
        Same dataset,
        PixelScale scale,
        AugmentSpec augment,
        Precision precision,
        Object update) {
    public static StackProgram of(Workload workload, Object update) {
        return new StackProgram(
                workload.network(),
                workload.loss(),
                workload.batchSize(),
                new Same(workload.dataset()),
                workload.scale(),
                workload.augment(),
                workload.precision(),
                update);
    }

    /// A data set, equal only to itself.
    public record Same(Dataset dataset) {
        @Override
        @SuppressWarnings("ReferenceEquality") // that is what it is for
        public boolean equals(Object other) {
            return other instanceof Same(Dataset another) && another == dataset;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(dataset);
        }
    }

    public StackProgram {
        Objects.requireNonNull(update);
    }
}
