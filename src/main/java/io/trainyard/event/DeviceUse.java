package io.trainyard.event;

import io.trainyard.spec.DeviceSpec;

/// That a worker had devices for an attempt at a job.
///
/// @param device as its claim names it: `cpu`, or several, `cuda:0+cuda:1`
/// @param startMillis when it claimed the job, since 1970
/// @param endMillis when it said that the attempt ended, was given back or rests, or else its newest news; a year after
///     the start at most
/// @param first whether no earlier attempt at the job is known
/// @param lost whether it never said how the attempt ended, and does not run any more
public record DeviceUse(
        int attempt, String worker, String device, long startMillis, long endMillis, boolean first, boolean lost) {
    /// No attempt lasts longer; a clock that was wrong for a moment may say so.
    static final long MAX_MILLIS = 366L * 24 * 60 * 60 * 1000;

    /// The end of the year 9999: anyone can write a time.
    static final long LATEST_MILLIS = 253_402_300_799_999L;

    /// Kinds have short names; anyone can write to a topic.
    private static final int MAX_KIND = 40;

    /// Which kind of device: `cpu`, `cuda`. All of an attempt are of one.
    public String kind() {
        String kind = DeviceSpec.kindOf(device);
        return kind.substring(0, Math.min(MAX_KIND, kind.length()));
    }

    public int devices() {
        return device.split("\\+", DeviceSpec.MAX_DEVICES).length;
    }
}
