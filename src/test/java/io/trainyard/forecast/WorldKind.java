package io.trainyard.forecast;

import io.trainyard.share.ProjectRules;

/// The parameters of a simulated fleet.
///
/// @param workers number of workers
/// @param speeds standard deviation of the logarithm of worker speeds
/// @param moods how far a worker's speed drifts over time
/// @param networks number of kinds of jobs; their paces differ by a factor of up to `spread`
/// @param spread of the networks' paces
/// @param epochs the maximum per job
/// @param history number of jobs that have run before the first forecast
/// @param backlog number of jobs submitted then
/// @param load of later jobs, relative to the capacity of the workers
/// @param highPriority fraction of high-priority jobs; as many have low priority
/// @param failing fraction of jobs that fail
/// @param stopping fraction of jobs that may stop early
/// @param shares of the projects, which submit equally many jobs; empty to share nothing
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
        double highPriority,
        double failing,
        double stopping,
        ProjectRules shares) {}
