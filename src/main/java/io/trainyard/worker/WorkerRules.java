package io.trainyard.worker;

import io.trainyard.ownership.DeferredByVersion;
import io.trainyard.spec.JobLimits;
import java.time.Duration;

/// A worker's id, routes and limits.
///
/// @param grace from the request to stop to the end
/// @param claimTimeout the time limit for the acknowledgement of an ownership; well within a command's lock
/// @param maxRefusals workers with insufficient resources after which the job fails
/// @param maxAttempts attempts in a row to expand a sweep that may end their workers before the sweep fails
/// @param deliveryLimit how often a command is delivered before the brokers drop it silently
/// @param deferring the schema version that it supports, and how long newer commands are deferred
/// @param limits of jobs; here, of the trials of sweeps
record WorkerRules(
        String worker,
        CommandRoutes routes,
        int slots,
        Duration grace,
        Duration claimTimeout,
        int maxRefusals,
        int maxAttempts,
        int deliveryLimit,
        DeferredByVersion.Rules deferring,
        int maxPreemptions,
        ProjectShares.Rules shares,
        JobLimits limits) {}
