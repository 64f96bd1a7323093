package io.trainyard.device;

import java.time.Duration;
import java.util.Optional;

/// A device that can train sessions that differ in numbers only as one program, where each by itself would leave much
/// of it idle.
public interface StackingDevice extends Device {
    /// What sessions of such a workload can be trained with as one program; empty: with none. A rule on shapes.
    Optional<StackProgram> program(Workload workload);

    /// The workload that a session is to be opened for which is to be stacked.
    Workload stackable(Workload workload);

    /// When stacks pay.
    StackRoom stackRoom();

    /// Makes room for the sessions of a stack.
    ///
    /// @param example the [#stackable] workload of one of them
    StackedSteps stack(Workload example);

    /// @param places sessions that a stack takes
    /// @param worthwhile fewer sessions than this are faster one by one
    /// @param processors how many stacks, or sessions by themselves, compute at the same time
    /// @param patience how long those that are ready wait for the rest
    record StackRoom(int places, int worthwhile, int processors, Duration patience) {
        /// Little beside the tenth of a second that a job usually trains in one go, and time enough to tell of the
        /// steps before.
        private static final Duration PATIENCE = Duration.ofMillis(3);

        /// With the usual patience.
        public StackRoom(int places, int worthwhile, int processors) {
            this(places, worthwhile, processors, PATIENCE);
        }
    }
}
