package io.trainyard.share;

import org.jspecify.annotations.Nullable;

/// What a project may have of a fleet.
///
/// @param weight its share is this, divided by the weights of all projects that have something to do
/// @param running the most jobs that run at a time; null: any number
/// @param waiting the most jobs that wait; null: any number
public record ProjectRule(
        double weight, @Nullable Integer running, @Nullable Integer waiting) {
    /// That of a project of which nothing is said.
    public static final ProjectRule PLAIN = new ProjectRule(1, null, null);
}
