package io.trainyard.share;

import org.jspecify.annotations.Nullable;

/// The rules of a project.
///
/// @param weight its share is this, divided by the weights of all projects with jobs
/// @param running the most jobs that run at a time; null: unlimited
/// @param waiting the most jobs that wait; null: unlimited
public record ProjectRule(
        double weight, @Nullable Integer running, @Nullable Integer waiting) {
    public static final ProjectRule PLAIN = new ProjectRule(1, null, null);
}
