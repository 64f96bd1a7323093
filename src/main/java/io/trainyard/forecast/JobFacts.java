package io.trainyard.forecast;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.topics.Priority;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What of a job says when jobs begin: of one that waits, where it stands and how much work it is; of one that runs or
/// has ended, how fast that went.
///
/// @param worker of its newest attempt
/// @param device of its newest attempt
/// @param work null where neither its command nor its start can be read
/// @param command where its newest command is: its topic, partition and offset; null where none is known
/// @param commandMillis when that was sent, since 1970; 0 where it is not known
/// @param heardFirstMillis when its first news was sent
/// @param heardMillis when its newest news was sent
/// @param contract the lowest of commands that has all it says; 0 where it does not wait
/// @param claimMillis when its newest attempt was claimed; 0 before
/// @param startMillis when that began to train or to test; 0 before
/// @param firstStep that attempt's
/// @param step steps done, of all attempts
/// @param plannedSteps of the whole job; 0 until it has started, and where it only evaluates
/// @param elapsedMicros since the attempt started, at that step
/// @param endMillis when it ended; 0 before
/// @param reason why it was given back, or ended
/// @param preemptions how often it made room for urgent jobs
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobFacts(
        String job,
        Status status,
        int attempt,
        @Nullable String worker,
        @Nullable String device,
        @Nullable Work work,
        @Nullable String command,
        long commandMillis,
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
    /// A longer reason is cut.
    private static final int MAX_REASON = 300;

    private static final String OFFSET = " at offset ";

    /// What a job is to do.
    ///
    /// @param wants the kind of device that it asks for
    /// @param network its name, or what tells its layers from others
    /// @param epochs 0 of a job that evaluates
    /// @param precision that it asks for
    /// @param devices how many
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
            return new Work(
                    spec.device().kind(),
                    name(spec.network()),
                    spec.dataset().name(),
                    spec.batchSize(),
                    spec.kind() == JobKind.EVALUATE ? 0 : spec.epochs(),
                    spec.precision().name(),
                    spec.allDevices().size(),
                    spec.stopWhen() != null,
                    !spec.preemptible(),
                    spec.project());
        }

        private static String name(NetworkSpec network) {
            return network.name() != null
                    ? network.name()
                    : network.label() + " "
                            + Integer.toHexString(network.layers().toString().hashCode());
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
                state.commandMillis(),
                state.firstHeardMillis(),
                state.lastHeardMillis(),
                spec == null || !waits ? 0 : JobJson.command(spec).contract(),
                state.claimMillis(),
                state.attemptStartMillis(),
                state.firstStep(),
                state.step(),
                state.plannedSteps(),
                state.elapsedMicros(),
                state.endMillis(),
                reason == null || reason.length() <= MAX_REASON ? reason : reason.substring(0, MAX_REASON),
                state.preemptions());
    }

    /// The kind of device that it runs or ran on; null before.
    @Nullable
    String ranOn() {
        return device == null ? null : kind(device);
    }

    /// Which kind of device a name is of: `cuda:0+cuda:1` is `cuda`.
    static String kind(String device) {
        return device.split("[:+]", 2)[0];
    }

    /// The kind of device whose topics its command is on; empty: the topics that every worker looks at.
    String lane() {
        return work != null && Priority.NAMED_KINDS.contains(work.wants()) ? work.wants() : "";
    }

    /// When its command was sent, as far as is known.
    long sentMillis() {
        return commandMillis > 0 ? commandMillis : heardMillis;
    }

    /// Its command's; 0 where that is not known.
    long offset() {
        String[] place = Objects.requireNonNullElse(command, "").split(OFFSET, 2);
        return place.length < 2 ? 0 : Long.parseLong(place[1]);
    }

    /// How many devices it trains on.
    int devices() {
        return work == null ? 1 : work.devices();
    }

    /// Steps that the newest attempt has done.
    long stepsOfAttempt() {
        return Math.max(0, step - firstStep + 1);
    }

    /// How much of the whole job is done, 0 to 1.
    double part() {
        return plannedSteps == 0 ? 0 : Math.clamp((double) step / plannedSteps, 0, 1);
    }

    /// How much of the whole job was done before the newest attempt.
    double partBefore() {
        return plannedSteps == 0 ? 0 : (firstStep - 1.0) / plannedSteps;
    }
}
