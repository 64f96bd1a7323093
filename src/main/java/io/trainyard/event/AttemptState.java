package io.trainyard.event;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState.Epoch;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The state of one attempt. If a fact was published more than once, the newest one counts, by offset or by
/// step. Therefore the result does not depend on the order of reading.
final class AttemptState {
    /// The newest status of the attempt.
    ///
    /// @param step the step after which the next attempt continues; 0 while this attempt runs
    /// @param rung the number of epochs after which it was paused at a rung; null if it was not
    record Turn(
            Status status,
            @Nullable String reason,
            long step,
            @Nullable Integer rung,
            long offset) {}

    record Claim(String worker, String device, long millis, long offset) {}

    /// The fields of [Started] that are shown, without its long table of parameters.
    record Start(
            JobSpec spec,
            String device,
            long firstStep,
            long steps,
            @Nullable CheckpointName initFrom,
            TrainingEvent.@Nullable Dataset dataset,
            int classes,
            long millis,
            long offset) {}

    record Progress(long step, @Nullable Float loss, long elapsedMicros) {}

    record Saved(long step, String uri) {}

    /// The maximum number of epochs of a job. Tests of later epochs are ignored.
    private static final int MAX_EPOCHS = 100_000;

    private final SortedMap<Integer, Epoch> epochs = new TreeMap<>();
    private @Nullable Turn turn;
    private @Nullable Claim claim;
    private @Nullable Start start;
    private Progress progress = new Progress(0, null, 0);
    private @Nullable Saved saved;
    private @Nullable EpochTested lastTest;
    private boolean preempted;
    private long workedMillis;
    private long stoppedMillis = Long.MAX_VALUE;

    /// Applies an event that does not end the job.
    void take(EventRecord record) {
        time(record);
        long offset = record.offset();
        switch (record.event()) {
            case Claimed claimed -> {
                if (claim == null || offset >= claim.offset()) {
                    claim = new Claim(claimed.worker(), claimed.device(), record.millis(), offset);
                }
                turn(new Turn(Status.RUNNING, null, 0, null, offset));
            }
            case Started started -> {
                if (start == null || offset >= start.offset()) {
                    start = start(started, record.millis(), offset);
                }
                turn(new Turn(Status.RUNNING, null, 0, null, offset));
            }
            case StepLosses losses -> progress(losses);
            case EpochTested tested -> test(tested);
            case CheckpointSaved checkpoint -> {
                if (saved == null || checkpoint.step() >= saved.step()) {
                    saved = new Saved(checkpoint.step(), checkpoint.uri());
                }
            }
            case Released released -> {
                preempted |= released.preemptedBy() != null;
                turn(new Turn(Status.QUEUED, released.reason(), released.step(), null, offset));
            }
            case TrainingEvent.Paused paused ->
                turn(new Turn(Status.PAUSED, paused.reason(), paused.step(), paused.rung(), offset));
            case TrainingEvent.Resumed _ -> turn(new Turn(Status.QUEUED, null, 0, null, offset));
            case TrainingEvent.Finished _,
                    TrainingEvent.Failed _,
                    TrainingEvent.Cancelled _,
                    TrainingEvent.Expanded _ ->
                throw new IllegalArgumentException("a job's end is not about one attempt: " + record);
        }
    }

    /// Records when the worker was last active and when it first published that it stops. Other workers may
    /// also publish pauses and resumes, much later, so their times do not count.
    private void time(EventRecord record) {
        switch (record.event()) {
            case Started _, StepLosses _, EpochTested _, CheckpointSaved _ ->
                workedMillis = Math.max(workedMillis, record.millis());
            case Released _, TrainingEvent.Paused _ -> {
                if (claim == null || isOf(claim, record.worker())) {
                    stoppedMillis = Math.min(stoppedMillis, record.millis());
                }
            }
            case Claimed _,
                    TrainingEvent.Resumed _,
                    TrainingEvent.Finished _,
                    TrainingEvent.Failed _,
                    TrainingEvent.Cancelled _,
                    TrainingEvent.Expanded _ -> {}
        }
    }

    private static boolean isOf(Claim claim, @Nullable String worker) {
        return worker == null || worker.equals(claim.worker());
    }

    private void test(EpochTested tested) {
        if (tested.epoch() < 0 || tested.epoch() >= MAX_EPOCHS) {
            return;
        }
        epochs.put(tested.epoch(), Epoch.of(tested));
        if (lastTest == null || tested.epoch() >= lastTest.epoch()) {
            lastTest = tested;
        }
    }

    private void turn(Turn newer) {
        if (turn == null || newer.offset() >= turn.offset()) {
            turn = newer;
        }
    }

    private static Start start(Started started, long millis, long offset) {
        return new Start(
                started.spec(),
                started.device(),
                started.firstStep(),
                (long) started.stepsPerEpoch() * started.spec().epochs(),
                started.initFrom(),
                started.dataset(),
                started.classes(),
                millis,
                offset);
    }

    private void progress(StepLosses losses) {
        int count = losses.losses().length;
        if (count > 0 && losses.lastStep() >= progress.step()) {
            progress = new Progress(losses.lastStep(), losses.losses()[count - 1], losses.elapsedMicros());
        }
    }

    /// Drops the metrics per class because a newer attempt has tested.
    void dropLastTest() {
        lastTest = null;
    }

    /// The time for which the worker reserved its devices; null if no claim with a valid time is known.
    ///
    /// @param end of the job; null if the job has not ended or ended in another attempt
    /// @param newest whether this is the newest attempt and the job has not ended
    @Nullable
    DeviceUse use(int number, @Nullable JobEnd end, boolean newest, boolean first) {
        if (claim == null || claim.millis() < 0 || claim.millis() > DeviceUse.LATEST_MILLIS) {
            return null;
        }
        long stopped = end != null && isOf(claim, end.worker()) ? Math.min(stoppedMillis, end.millis()) : stoppedMillis;
        boolean newer = stopped < Long.MAX_VALUE;
        long endMillis =
                Math.clamp(newer ? stopped : workedMillis, claim.millis(), claim.millis() + DeviceUse.MAX_MILLIS);
        boolean runs = newest && turn != null && turn.status() == Status.RUNNING;
        return new DeviceUse(number, claim.worker(), claim.device(), claim.millis(), endMillis, first, !newer && !runs);
    }

    /// Null if only losses, tests or checkpoints are known, which do not begin an attempt.
    @Nullable
    Turn turn() {
        return turn;
    }

    boolean isPreempted() {
        return preempted;
    }

    @Nullable
    Claim claim() {
        return claim;
    }

    @Nullable
    Start start() {
        return start;
    }

    Progress progress() {
        return progress;
    }

    @Nullable
    Saved saved() {
        return saved;
    }

    SortedMap<Integer, Epoch> epochs() {
        return epochs;
    }

    @Nullable
    EpochTested lastTest() {
        return lastTest;
    }
}
