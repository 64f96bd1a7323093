package io.trainyard.cli;

import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.spec.JobField;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.tracking.JobQuery;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options that select jobs. A job is selected if it matches all given options.
final class JobChoice {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            split = ",",
            description = "States: queued, running, paused, finished, failed, cancelled, rejected, expanded.")
    private Set<Status> states = Set.of();

    @Option(names = "--network", paramLabel = "N", description = "With this network.")
    private @Nullable String network;

    @Option(names = "--worker", paramLabel = "ID", description = "With the newest attempt on this worker.")
    private @Nullable String worker;

    @Option(
            names = "--text",
            paramLabel = "TEXT",
            description = "With this text in id, dataset, network or worker, ignoring case.")
    private String text = "";

    private @Nullable JobField field;
    private String value = "";

    @Option(
            names = "--group",
            paramLabel = "FIELD=VALUE",
            description = "With this field, such as optimizer.type=adam.")
    void setGroup(String group) {
        int end = group.indexOf('=');
        if (end < 1) {
            throw new ParameterException(
                    command.commandLine(),
                    "--group is \"%s\"; allowed is FIELD=VALUE, such as optimizer.type=adam".formatted(group));
        }
        field = new JobField(group.substring(0, end));
        value = group.substring(end + 1);
    }

    /// The query for a tracking store, in the order in which jobs were first seen.
    JobQuery query(String tag) {
        return new JobQuery(states, text, tag, JobQuery.Sort.SUBMITTED, false, 1, 0);
    }

    boolean matches(JobState job) {
        JobSpec spec = job.spec();
        return (states.isEmpty() || states.contains(job.status()))
                && (network == null
                        || (spec != null && network.equals(spec.network().label())))
                && (worker == null || worker.equals(job.worker()))
                && (text.isEmpty() || holdsText(job, spec))
                && (field == null
                        || (spec != null
                                && field.of(JobJson.write(spec))
                                        .filter(value::equals)
                                        .isPresent()));
    }

    private boolean holdsText(JobState job, @Nullable JobSpec spec) {
        String small = text.toLowerCase(Locale.ROOT);
        return Stream.of(
                        job.job(),
                        job.worker(),
                        spec == null ? null : spec.dataset().name(),
                        spec == null ? null : spec.network().label())
                .anyMatch(
                        there -> there != null && there.toLowerCase(Locale.ROOT).contains(small));
    }
}
