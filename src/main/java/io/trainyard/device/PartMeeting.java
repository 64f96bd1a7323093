package io.trainyard.device;

/// Where the parts of a session wait for one another in the middle of a step, each on its own thread: nobody goes on
/// before all have come, and all see what the others wrote before. In a step all come as often.
@FunctionalInterface
public interface PartMeeting {
    /// @throws IllegalStateException if another part has failed: nobody waits for it
    void await();
}
