package io.trainyard.worker;

import org.jspecify.annotations.Nullable;

/// A seed that shows a fault, with everything that is needed to replay it.
final class SimFailure extends AssertionError {
    private static final long serialVersionUID = 1L;

    SimFailure(SimWorld world, String what, @Nullable Throwable cause) {
        super(
                "seed %d, after %.3f s and %d steps: %s%n%s"
                        .formatted(world.seed(), world.nanos() / 1e9, world.steps(), what, world.stacks()),
                cause);
    }
}
