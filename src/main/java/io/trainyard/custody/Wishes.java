package io.trainyard.custody;

import io.trainyard.event.Control;
import io.trainyard.event.Control.Urgency;
import io.trainyard.event.Control.Wish;
import io.trainyard.topics.Priority;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// What somebody wants of jobs: the fold of the topic `control`. Written by one thread, read by all.
public final class Wishes {
    private final Map<String, Control> wishes = new ConcurrentHashMap<>(); // each with the newest priority

    /// Takes in a record.
    void add(String job, Control control) {
        wishes.merge(
                job,
                control,
                (before, now) -> now.priority() == null
                        ? new Control(job, now.wish(), before.priority(), now.time(), now.runOn())
                        : now);
    }

    /// Nobody wants anything of the job any more.
    void remove(String job) {
        wishes.remove(job);
    }

    /// Whether the topic has a record of the job.
    public boolean isAny(String job) {
        return wishes.containsKey(job);
    }

    public Wish of(String job) {
        Control control = wishes.get(job);
        return control == null ? Wish.RUN : control.wish();
    }

    /// Whether somebody wants that a job rests at no rung.
    public boolean isRunOn(String job) {
        Control control = wishes.get(job);
        return control != null && control.isRunOn();
    }

    /// A job's command, as urgent as the job is wished to be.
    Request urgent(Request request) {
        Control control = wishes.get(request.job().id());
        Urgency urgency = control == null ? null : control.priority();
        return urgency == null ? request : request.at(Priority.of(urgency));
    }
}
