package io.trainyard.tracking;

/// The time that devices were at work. Of parts it is the sum: a job or an attempt is counted where it began.
///
/// @param deviceMillis one device for an hour is an hour, and so are two for half an hour
/// @param failedMillis of it, for jobs that have failed
/// @param lostMillis of it, for attempts whose worker never told how they ended
/// @param jobs whose first attempt began
/// @param attempts that began
public record Usage(long deviceMillis, long failedMillis, long lostMillis, long jobs, long attempts) {
    public static final Usage NONE = new Usage(0, 0, 0, 0, 0);

    public Usage plus(Usage other) {
        return new Usage(
                deviceMillis + other.deviceMillis,
                failedMillis + other.failedMillis,
                lostMillis + other.lostMillis,
                jobs + other.jobs,
                attempts + other.attempts);
    }
}
