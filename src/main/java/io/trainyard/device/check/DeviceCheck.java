package io.trainyard.device.check;

import java.util.function.Supplier;

/// One thing that a device must do.
///
/// @param name says it to people, after the group
/// @param body does it on the calling thread; what it throws is a failure, too
public record DeviceCheck(CheckGroup group, String name, Supplier<CheckOutcome> body) {
    @Override
    public String toString() {
        return group + ": " + name;
    }
}
