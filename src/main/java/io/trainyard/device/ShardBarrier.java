package io.trainyard.device;

/// A barrier in the middle of a step for the parts of a session, each on its own thread: all parts wait until the
/// last has arrived, and see all earlier writes of the others. In each step all parts call it equally often.
@FunctionalInterface
public interface ShardBarrier {
    /// @throws IllegalStateException if another part has failed, which would otherwise block this one forever
    void await();
}
