package io.trainyard.forecast;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.trainyard.event.Control.Urgency;
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

/// What of a job says when jobs begin: of one that waits, where it stands and how much work it is; of one that runs or
/// has ended, how fast that went. What is not said here is as [JobState] says it.
///
/// @param work null where neither its command nor its start can be read
/// @param command where its newest command is: its topic, partition and offset; null where none is known
/// @param sentMillis when that was sent, or its newest news where that is not known
/// @param heardFirstMillis when its first news was sent
/// @param contract the lowest of commands that has all it says; 0 where it does not wait
/// @param startMillis when its newest attempt began to train or to test; 0 before
/// @param elapsedMicros since then, at that step
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
        long heardFirstMillis,
        long heardMillis,
        int contract,
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

    /// The contract of a command that cannot be read: no worker here is known to understand it.
    static final int UNREADABLE = Integer.MAX_VALUE;

    /// @param wants the kind of device that it asks for
    /// @param network its name, or what tells its layers from others
    /// @param epochs 0 of a job that evaluates
    /// @param stopsEarly whether it may end before its last epoch
    /// @param pinned whether it makes room for no urgent job
    /// @param project whose it is; null: nobody has said so
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
                state.commandMillis() > 0 ? state.commandMillis() : state.lastHeardMillis(),
                state.firstHeardMillis(),
                state.lastHeardMillis(),
                !waits ? 0 : spec == null ? UNREADABLE : JobJson.command(spec).contract(),
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

    /// The kind of device whose topics its command is on; empty: the topics that every worker looks at.
    String lane() {
        return work != null && Priority.NAMED_KINDS.contains(work.wants()) ? work.wants() : "";
    }

    /// How urgent it is, by the topic of its command; normal where that is not known.
    Urgency urgency() {
        Matcher place = place();
        return place.matches() ? Urgency.valueOf(place.group(1).toUpperCase(Locale.ROOT)) : Urgency.NORMAL;
    }

    /// Its command's; 0 where that is not known.
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

    /// How much of the whole job so many steps are, 0 to 1.
    double part(long steps) {
        return plannedSteps == 0 ? 0 : Math.clamp((double) steps / plannedSteps, 0, 1);
    }
}
