package io.trainyard.forecast;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.topics.Priority;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The properties of a job that the forecast uses: position and amount of work if it waits, speed if it runs or
/// has ended. Fields without a description are those of [JobState].
///
/// @param work null if neither the command nor the start event can be read
/// @param command the position of the newest command: topic, partition and offset; null if unknown
/// @param sentMillis when that command was published; the time of the newest record if unknown
/// @param submittedMillis the time of the first record
/// @param schemaVersion the lowest schema version with all fields of the command; 0 if the job does not wait
/// @param startMillis when the newest attempt started training or evaluating; 0 before
/// @param elapsedMicros from that time to the newest step
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobFacts(
        String job,
        Status status,
        int attempt,
        @Nullable String worker,
        @Nullable String device,
        @Nullable Work work,
        @Nullable String command,
        long sentMillis,
        long submittedMillis,
        long lastRecordMillis,
        int schemaVersion,
        long claimMillis,
        long startMillis,
        long firstStep,
        long step,
        long plannedSteps,
        long elapsedMicros,
        long endMillis,
        @Nullable String reason,
        int preemptions) {
    private static final Pattern PLACE = Pattern.compile(".*\\.(high|normal|low)-\\d+ at offset (\\d{1,18})");

    /// Stands for the schema version of an unreadable command, which no known worker supports.
    static final int UNREADABLE = Integer.MAX_VALUE;

    /// @param wants the requested kind of device
    /// @param network its name, or an identifier of its layers
    /// @param epochs 0 for an evaluation
    /// @param stopsEarly whether it may finish before its last epoch
    /// @param pinned whether it cannot be preempted
    /// @param project null if unknown
    public record Work(
            String wants,
            String network,
            String dataset,
            int batchSize,
            int epochs,
            String precision,
            int devices,
            boolean stopsEarly,
            boolean pinned,
            @Nullable String project) {
        static Work of(JobSpec spec) {
            NetworkSpec network = spec.network();
            return new Work(
                    spec.device().kind(),
                    Objects.requireNonNullElseGet(network.name(), () -> network.label() + " " + hash(network)),
                    spec.dataset().name(),
                    spec.batchSize(),
                    spec.kind() == JobKind.EVALUATE ? 0 : spec.epochs(),
                    spec.precision().name(),
                    spec.allDevices().size(),
                    spec.stopWhen() != null,
                    !spec.preemptible(),
                    spec.project());
        }

        private static String hash(NetworkSpec network) {
            return Integer.toHexString(network.layers().toString().hashCode());
        }
    }

    public static JobFacts of(JobState state) {
        JobSpec spec = state.spec();
        boolean waits = state.status() == Status.QUEUED;
        String reason = state.reason();
        return new JobFacts(
                state.job(),
                state.status(),
                state.attempt(),
                state.worker(),
                state.device(),
                spec == null ? null : Work.of(spec),
                state.commandPlace(),
                state.commandMillis() > 0 ? state.commandMillis() : state.lastRecordMillis(),
                state.firstRecordMillis(),
                state.lastRecordMillis(),
                !waits ? 0 : spec == null ? UNREADABLE : JobJson.command(spec).schemaVersion(),
                state.claimMillis(),
                state.attemptStartMillis(),
                state.firstStep(),
                state.step(),
                state.plannedSteps(),
                state.elapsedMicros(),
                state.endMillis(),
                reason == null ? null : reason.substring(0, Math.min(300, reason.length())),
                state.preemptions());
    }

    /// The device kind of its command's topic; empty for the topics that all workers poll.
    String lane() {
        return work != null && Priority.NAMED_KINDS.contains(work.wants()) ? work.wants() : "";
    }

    /// The priority, by the topic of its command; normal if unknown.
    RequestedPriority requestedPriority() {
        Matcher place = place();
        return place.matches()
                ? RequestedPriority.valueOf(place.group(1).toUpperCase(Locale.ROOT))
                : RequestedPriority.NORMAL;
    }

    /// The offset of its command; 0 if unknown.
    long offset() {
        Matcher place = place();
        return place.matches() ? Long.parseLong(place.group(2)) : 0;
    }

    private Matcher place() {
        return PLACE.matcher(Objects.requireNonNullElse(command, ""));
    }

    int devices() {
        return work == null ? 1 : work.devices();
    }

    long stepsOfAttempt() {
        return Math.max(0, step - firstStep + 1);
    }

    /// The part of the whole job that a number of steps is, 0 to 1.
    double part(long steps) {
        return plannedSteps == 0 ? 0 : Math.clamp((double) steps / plannedSteps, 0, 1);
    }
}
