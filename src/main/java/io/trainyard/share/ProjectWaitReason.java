package io.trainyard.share;

/// Why a job of a project waits although a worker is free.
public sealed interface ProjectWaitReason {
    /// In words, after "waits: ".
    String sentence();

    /// The project's quota is used up.
    record Quota(String project, int running, int most) implements ProjectWaitReason {
        @Override
        public String sentence() {
            return "project %s has %,d %s running, and may have %,d"
                    .formatted(project, running, running == 1 ? "job" : "jobs", most);
        }
    }

    /// Another project has used less relative to its weight.
    record Turn(String next) implements ProjectWaitReason {
        @Override
        public String sentence() {
            return "it is the turn of project " + next;
        }
    }
}
