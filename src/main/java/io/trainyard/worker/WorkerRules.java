package io.trainyard.worker;

import io.trainyard.custody.Deferrals;
import io.trainyard.spec.JobLimits;
import java.time.Duration;

/// Who a worker is, and how long it waits for what.
///
/// @param worker the worker's id
/// @param routes which commands it takes
/// @param slots how many jobs it has at once
/// @param grace from the request to stop to the end
/// @param claimTimeout how long a claim may wait for the brokers to have its custody; well within a command's lock
/// @param maxRefusals of different workers, each of which lacks what a job needs; with so many the job has failed
/// @param maxAttempts in a row to expand a sweep that may end with their workers before the sweep has failed
/// @param deliveryLimit how often a command is delivered before the brokers drop it silently
/// @param deferring what commands it understands, and how long those wait that nobody does
/// @param maxPreemptions how often a job makes room for urgent ones
/// @param shares how projects share the fleet
/// @param limits what jobs may ask for; here, of how many trials sweeps may be
record WorkerRules(
        String worker,
        CommandRoutes routes,
        int slots,
        Duration grace,
        Duration claimTimeout,
        int maxRefusals,
        int maxAttempts,
        int deliveryLimit,
        Deferrals.Rules deferring,
        int maxPreemptions,
        Shares.Rules shares,
        JobLimits limits) {}
