package io.trainyard.metrics;

import io.trainyard.event.FailureCause;
import java.util.List;
import java.util.Locale;

/// The labels of metrics, with all their values.
public enum Label {
    /// The kind of device: that a job asks for, or that a worker has.
    KIND("auto", "cpu", "cuda", "reference"),
    /// `unknown`: the job's command is unknown.
    PRIORITY("high", "normal", "low", "unknown"),
    /// State of a worker. Refusing: it claims no jobs and reports the reason. Lost: its heartbeats have stopped.
    STATE("idle", "busy", "refusing", "lost"),
    CAUSE(FailureCause.words()),
    /// What preceded an attempt: the job's command, the loss of its worker, a release by its worker, or a
    /// pause.
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
