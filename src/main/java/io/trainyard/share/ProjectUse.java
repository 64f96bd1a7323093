package io.trainyard.share;

/// A project's use of a fleet, now and in the last window.
///
/// @param deviceSeconds of the window: one device for a minute counts the same as two for half a minute
public record ProjectUse(long running, long waiting, double deviceSeconds) {
    public static final ProjectUse NONE = new ProjectUse(0, 0, 0);

    public ProjectUse plus(ProjectUse more) {
        return new ProjectUse(running + more.running, waiting + more.waiting, deviceSeconds + more.deviceSeconds);
    }

    boolean isBusy() {
        return running + waiting > 0;
    }
}
