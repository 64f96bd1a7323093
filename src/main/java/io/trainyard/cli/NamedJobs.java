package io.trainyard.cli;

import io.trainyard.event.JobState;
import io.trainyard.topics.Cluster;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/// The jobs that a command controls: given by id, or all unfinished jobs of a sweep or another group.
final class NamedJobs {
    @Parameters(arity = "0..*", paramLabel = "JOB", description = "Ids of jobs.")
    private List<String> jobs = List.of();

    @Option(
            names = "--sweep",
            paramLabel = "GROUP",
            description = "All jobs of this sweep or group that have not ended.")
    private @Nullable String group;

    static NamedJobs of(String job) {
        NamedJobs named = new NamedJobs();
        named.jobs = List.of(job);
        return named;
    }

    /// @param command for error messages
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer
    Set<String> read(Cluster kafka, CommandSpec command) {
        if (jobs.isEmpty() == (group == null)) {
            throw new ParameterException(
                    command.commandLine(),
                    jobs.isEmpty()
                            ? "Neither a job nor --sweep is given; name jobs, or the sweep whose jobs are meant."
                            : "Jobs and --sweep are given; name one of the two.");
        }
        return group == null
                ? new LinkedHashSet<>(jobs)
                : new LinkedHashSet<>(GroupReader.read(kafka, group).stream()
                        .filter(job -> !job.status().isFinal())
                        .map(JobState::job)
                        .toList());
    }

    /// Whether the jobs were given as a group.
    boolean areGroup() {
        return group != null;
    }

    /// The message for a group without unfinished jobs.
    String noneLeft() {
        return "the sweep %s has no jobs left: there is no such sweep, or all its jobs have ended; ./trainyard sweep %s shows them"
                .formatted(group, group);
    }
}
