package io.trainyard.event;

import io.trainyard.spec.DeviceSpec;

/// The use of a worker's devices by an attempt of a job.
///
/// @param device as named in the claim: `cpu`, or several like `cuda:0+cuda:1`
/// @param startMillis when the worker claimed the job, Unix time in ms
/// @param endMillis when the worker published that the attempt ended, was released or was paused, or else its
///     newest event; at most one year after the start
/// @param first whether no earlier attempt of the job is known
/// @param lost whether the attempt stopped without a published end
public record DeviceUse(
        int attempt, String worker, String device, long startMillis, long endMillis, boolean first, boolean lost) {
    /// The upper limit of an attempt's duration. A wrong clock could show a longer one.
    static final long MAX_MILLIS = 366L * 24 * 60 * 60 * 1000;

    /// The end of the year 9999. Any client can write any time to a topic.
    static final long LATEST_MILLIS = 253_402_300_799_999L;

    /// Any client can write long names to a topic.
    private static final int MAX_KIND = 40;

    /// The kind of device: `cpu`, `cuda`. An attempt uses devices of one kind.
    public String kind() {
        String kind = DeviceSpec.kindOf(device);
        return kind.substring(0, Math.min(MAX_KIND, kind.length()));
    }

    public int devices() {
        return device.split("\\+", DeviceSpec.MAX_DEVICES).length;
    }
}
