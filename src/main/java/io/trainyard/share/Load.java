package io.trainyard.share;

/// What a project has of a fleet at a moment.
///
/// @param jobs that workers hold
/// @param devices that these train on, together
public record Load(int jobs, int devices) {
    public static final Load NONE = new Load(0, 0);

    public Load plus(Load more) {
        return new Load(jobs + more.jobs, devices + more.devices);
    }
}
