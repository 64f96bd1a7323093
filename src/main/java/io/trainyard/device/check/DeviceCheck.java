package io.trainyard.device.check;

import java.util.function.Supplier;

/// One requirement of a device.
///
/// @param name for display, after the group
/// @param body runs on the calling thread; an exception is a failure as well
public record DeviceCheck(CheckGroup group, String name, Supplier<CheckOutcome> body) {
    @Override
    public String toString() {
        return group + ": " + name;
    }
}
