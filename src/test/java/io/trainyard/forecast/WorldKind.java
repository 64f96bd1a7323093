package io.trainyard.forecast;

import io.trainyard.share.ProjectRules;

/// How a simulated fleet is.
///
/// @param workers how many
/// @param speeds how far workers' speeds are apart: the deviation of their logarithms
/// @param moods how far a worker's speed wanders in time
/// @param networks kinds of jobs: how far their paces are apart is a factor of up to `spread`
/// @param spread of the networks' paces
/// @param epochs a job has up to so many
/// @param history so many jobs have run before anybody asks
/// @param backlog how many jobs are sent then
/// @param load jobs that come later, by how much they ask of what the workers can do
/// @param urgent the part of jobs that is of high priority; as many are of low
/// @param failing the part of jobs that fails on its way
/// @param stopping the part of jobs that may stop early
/// @param shares how projects share it, each of which asks for as many jobs; none: nothing is shared
record WorldKind(
        int workers,
        double speeds,
        double moods,
        int networks,
        double spread,
        int epochs,
        int history,
        int backlog,
        double load,
        double urgent,
        double failing,
        double stopping,
        ProjectRules shares) {
    /// One in which nothing is shared.
    WorldKind(
            int workers,
            double speeds,
            double moods,
            int networks,
            double spread,
            int epochs,
            int history,
            int backlog,
            double load,
            double urgent,
            double failing,
            double stopping) {
        this(
                workers,
                speeds,
                moods,
                networks,
                spread,
                epochs,
                history,
                backlog,
                load,
                urgent,
                failing,
                stopping,
                ProjectRules.NONE);
    }
}
