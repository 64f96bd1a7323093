package io.trainyard.share;

/// A project's current use of a fleet.
///
/// @param devices on which they train, in total
public record ProjectLoad(int jobs, int devices) {
    public static final ProjectLoad NONE = new ProjectLoad(0, 0);

    public ProjectLoad plus(ProjectLoad more) {
        return new ProjectLoad(jobs + more.jobs, devices + more.devices);
    }
}
