package io.trainyard.metrics;

import io.trainyard.event.FailureCause;
import java.util.List;
import java.util.Locale;

/// What metrics are divided by. A value that is none of these is a mistake.
public enum Label {
    /// The kind of device: that a job asks for, or that a worker has.
    KIND("auto", "cpu", "cuda", "reference"),
    /// `unknown`: of a job whose command is not known.
    PRIORITY("high", "normal", "low", "unknown"),
    /// Of a worker. Refusing: it takes no jobs, and says why. Lost: it has been silent.
    STATE("idle", "busy", "refusing", "lost"),
    CAUSE(FailureCause.words()),
    /// What an attempt comes after: the job's command, the loss of the worker that had it, its release by
    /// that worker, or its rest.
    AFTER("command", "loss", "release", "pause"),
    /// What the dashboard needs.
    SOURCE("kafka", "store"),
    /// Each that the file of projects names, and all others together.
    PROJECT(Label.OTHERS);

    /// All projects that the file does not name; none can be called so.
    public static final String OTHERS = "_others";

    private final List<String> allowed;

    Label(String... allowed) {
        this(List.of(allowed));
    }

    Label(List<String> allowed) {
        this.allowed = allowed;
    }

    public List<String> allowed() {
        return allowed;
    }

    boolean allows(String value) {
        return allowed.contains(value) || this == PROJECT;
    }

    /// As Prometheus knows it.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
