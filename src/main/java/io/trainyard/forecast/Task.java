package io.trainyard.forecast;

import io.trainyard.custody.PreemptionRule.Running;

/// A job that a slot has, or is to have.
///
/// @param running what says whether it makes room for an urgent one
/// @param devices how many it is on
record Task(Running running, Lane lane, int project, int devices) {
    static Task of(JobFacts job, String prefix, Projects projects) {
        return new Task(Rooms.running(job, prefix), WaitingLine.lane(job), projects.of(job), Projects.devices(job));
    }

    /// The same, once it has made room.
    Task madeRoom() {
        Running again = new Running(
                running.job(),
                running.attempt() + 1,
                running.worker(),
                running.priority(),
                running.preemptible(),
                running.preemptions() + 1);
        return new Task(again, lane, project, devices);
    }
}
