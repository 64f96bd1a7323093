package io.trainyard.device;

import org.jspecify.annotations.Nullable;

/// A device that can compute one part of every batch, while other devices of its kind compute the other parts.
public interface ShardDevice extends Device {
    /// Like [#open], for a part of every training batch. The session tests all test samples of the workload.
    ///
    /// @param workload of the whole batches; its threads are those of all parts together
    /// @param first the first part's session, opened before the others; null for the first itself
    /// @throws DeviceException if the device cannot run it, or has not enough memory
    ShardSession openPart(Workload workload, ShardRange part, @Nullable ShardSession first);
}
