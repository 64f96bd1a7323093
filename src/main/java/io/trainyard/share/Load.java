package io.trainyard.share;

/// A project's current use of a fleet.
///
/// @param devices on which they train, in total
public record Load(int jobs, int devices) {
    public static final Load NONE = new Load(0, 0);

    public Load plus(Load more) {
        return new Load(jobs + more.jobs, devices + more.devices);
    }
}
