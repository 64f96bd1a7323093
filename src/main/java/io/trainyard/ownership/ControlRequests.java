package io.trainyard.ownership;

import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.topics.Priority;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The latest control request of each job: the fold of the topic `control`. One thread writes, all threads
/// read.
public final class ControlRequests {
    private final Map<String, Control> controls = new ConcurrentHashMap<>(); // each with the newest priority

    void add(String job, Control control) {
        controls.merge(
                job,
                control,
                (before, now) -> now.priority() == null
                        ? new Control(job, now.desiredState(), before.priority(), now.time(), now.skipRungs())
                        : now);
    }

    void remove(String job) {
        controls.remove(job);
    }

    /// Whether the topic has a record of the job.
    public boolean isAny(String job) {
        return controls.containsKey(job);
    }

    public DesiredState of(String job) {
        Control control = controls.get(job);
        return control == null ? DesiredState.RUN : control.desiredState();
    }

    /// Whether a user wants the job to skip its rungs.
    public boolean skipsRungs(String job) {
        Control control = controls.get(job);
        return control != null && control.skipsRungs();
    }

    CommandContent withRequestedPriority(CommandContent request) {
        Control control = controls.get(request.job().id());
        RequestedPriority requested = control == null ? null : control.priority();
        return requested == null ? request : request.at(Priority.of(requested));
    }
}
