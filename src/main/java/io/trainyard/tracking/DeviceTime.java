package io.trainyard.tracking;

/// Device time. Periods add up: a job or an attempt counts in the period in which it began.
///
/// @param deviceMillis two devices for half an hour count as one hour
/// @param failedMillis the part used by failed jobs
/// @param lostMillis the part used by attempts without a published end
/// @param jobs the jobs that began
/// @param attempts the attempts that began
public record DeviceTime(long deviceMillis, long failedMillis, long lostMillis, long jobs, long attempts) {
    public static final DeviceTime NONE = new DeviceTime(0, 0, 0, 0, 0);

    public DeviceTime plus(DeviceTime other) {
        return new DeviceTime(
                deviceMillis + other.deviceMillis,
                failedMillis + other.failedMillis,
                lostMillis + other.lostMillis,
                jobs + other.jobs,
                attempts + other.attempts);
    }
}
