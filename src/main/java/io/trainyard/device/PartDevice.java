package io.trainyard.device;

import org.jspecify.annotations.Nullable;

/// A device that can compute one part of every batch, while other devices of its kind compute the rest.
public interface PartDevice extends Device {
    /// As [#open], for a part of every training batch. What the session tests is all of the workload's test set.
    ///
    /// @param workload of the whole batches; its threads are those of all parts together
    /// @param first the first part's session, opened before the others; null for the first itself
    /// @throws DeviceException if the device cannot run it, or has not the memory
    PartSession openPart(Workload workload, EvenPart part, @Nullable PartSession first);
}
