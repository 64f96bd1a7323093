package io.trainyard.event;

import io.trainyard.event.AttemptState.Claim;
import io.trainyard.event.AttemptState.Saved;
import io.trainyard.event.AttemptState.Start;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState.Epoch;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The attempts of a job. Those that have begun count, up to the one that ended the job. Losses, tests and
/// checkpoints alone do not begin an attempt. If an attempt has begun, all attempts with lower numbers have
/// begun.
///
/// Any client can write to a topic. Events of an attempt from another worker than the one that claimed it are
/// ignored. A number far above all others is also ignored, because it would hide the valid ones.
final class Attempts {
    /// The largest step from one attempt number to the next. Some attempts die before their first event.
    static final int MAX_GAP = 1000;

    /// The maximum number of attempts in memory, the newest ones. Of older attempts only the tests and the
    /// first times are kept.
    static final int MAX_ATTEMPTS = 1000;

    /// If the maximum is exceeded, an attempt that has not begun is kept if its number is at most this far
    /// above the newest one that has begun. A pause takes a number.
    private static final int NEXT = 2;

    private final NavigableMap<Integer, AttemptState> all = new TreeMap<>();

    private int dropped;

    private final SortedMap<Integer, Epoch> droppedEpochs = new TreeMap<>();
    private long droppedClaimMillis;
    private long droppedStartMillis = Long.MAX_VALUE;

    /// The attempt that ended the job; 0 before the end.
    private int last;

    /// An attempt that counts.
    ///
    /// @param endStep the first step that does not count because a newer attempt starts there
    record Counted(int number, AttemptState state, long endStep) {}

    void endWith(int attempt) {
        last = attempt;
    }

    /// Applies an event that does not end the job.
    void take(EventRecord record) {
        if (!isAccepted(record)) {
            return;
        }
        int number = record.event().attempt();
        if (number <= dropped) {
            return;
        }
        all.computeIfAbsent(number, _ -> new AttemptState()).take(record);
        if (record.event() instanceof EpochTested
                && counted().stream().anyMatch(attempt -> attempt.number() == number)) {
            all.headMap(number).values().forEach(AttemptState::dropLastTest);
        }
        if (all.size() > MAX_ATTEMPTS) {
            dropOne();
        }
    }

    /// Drops a forged attempt, with a number far above those that have begun, or else the oldest attempt.
    private void dropOne() {
        if (all.lastKey() > begun() + NEXT || counted().isEmpty()) {
            all.pollLastEntry();
            return;
        }
        droppedClaimMillis = firstClaimMillis();
        droppedStartMillis = firstStartMillis();
        Counted oldest = counted().getFirst();
        oldest.state().epochs().values().stream()
                .filter(epoch -> epoch.step() < oldest.endStep())
                .forEach(epoch -> droppedEpochs.put(epoch.epoch(), epoch));
        dropped = oldest.number();
        all.remove(dropped);
    }

    /// Whether the worker that published an event may publish it. If the claim of the attempt is known, only
    /// the worker that claimed it may. The end of a job, pauses and resumes may also come from an ownership
    /// monitor.
    boolean isAccepted(EventRecord record) {
        String publisher = record.worker();
        if (publisher == null) {
            return true;
        }
        return switch (record.event()) {
            case Claimed claimed -> publisher.equals(claimed.worker());
            case TrainingEvent.Started _,
                    TrainingEvent.StepLosses _,
                    TrainingEvent.EpochTested _,
                    TrainingEvent.CheckpointSaved _,
                    TrainingEvent.Released _ -> {
                AttemptState known = all.get(record.event().attempt());
                Claim claim = known == null ? null : known.claim();
                yield claim == null || publisher.equals(claim.worker());
            }
            case TrainingEvent.Paused _,
                    TrainingEvent.Resumed _,
                    TrainingEvent.Finished _,
                    TrainingEvent.Failed _,
                    TrainingEvent.Cancelled _,
                    TrainingEvent.Expanded _ -> true;
        };
    }

    List<Counted> counted() {
        List<Counted> counted = new ArrayList<>();
        long endStep = Long.MAX_VALUE;
        for (var attempt : all.headMap(newest(), true).reversed().entrySet()) {
            counted.add(new Counted(attempt.getKey(), attempt.getValue(), endStep));
            Start start = attempt.getValue().start();
            endStep = start == null ? endStep : Math.min(endStep, start.firstStep());
        }
        return counted.reversed();
    }

    int preemptions() {
        return (int) counted().stream()
                .filter(attempt -> attempt.state().isPreempted())
                .count();
    }

    int newest() {
        return last > 0 ? last : begun();
    }

    /// The highest attempt that has begun; 0 without attempts.
    private int begun() {
        int newest = dropped;
        for (var attempt : all.entrySet()) {
            if (attempt.getKey() - newest > MAX_GAP) {
                break;
            }
            if (attempt.getValue().turn() != null) {
                newest = attempt.getKey();
            }
        }
        return newest;
    }

    /// Device use by attempt, including attempts that do not count.
    ///
    /// @param end of the job; null if it has not ended
    List<DeviceUse> uses(@Nullable JobEnd end) {
        List<DeviceUse> uses = new ArrayList<>();
        int begun = begun();
        for (var attempt : all.headMap(begun, true).entrySet()) {
            int number = attempt.getKey();
            JobEnd its = end == null || end.event().attempt() != number ? null : end;
            DeviceUse use = attempt.getValue().use(number, its, end == null && number == begun, uses.isEmpty());
            if (use != null) {
                uses.add(use);
            }
        }
        return uses;
    }

    /// The value from the newest attempt that has one; null otherwise.
    <T> @Nullable T newest(Function<AttemptState, @Nullable T> what) {
        for (Counted attempt : counted().reversed()) {
            T value = what.apply(attempt.state());
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /// The tested epochs in order. The test of the newest attempt counts.
    List<Epoch> epochs() {
        List<Counted> counted = counted();
        SortedMap<Integer, Epoch> epochs = new TreeMap<>();
        droppedEpochs.values().stream()
                .filter(epoch -> counted.stream().allMatch(attempt -> epoch.step() < firstStep(attempt)))
                .forEach(epoch -> epochs.put(epoch.epoch(), epoch));
        for (Counted attempt : counted) {
            attempt.state().epochs().values().stream()
                    .filter(epoch -> epoch.step() < attempt.endStep())
                    .forEach(epoch -> epochs.put(epoch.epoch(), epoch));
        }
        return List.copyOf(epochs.values());
    }

    private static long firstStep(Counted attempt) {
        Start start = attempt.state().start();
        return start == null ? Long.MAX_VALUE : start.firstStep();
    }

    /// The URI of the last checkpoint. It may come from an older attempt if the newer ones have none and
    /// continue after it.
    @Nullable
    String checkpoint() {
        for (Counted attempt : counted().reversed()) {
            Saved saved = attempt.state().saved();
            if (saved != null && saved.step() < attempt.endStep()) {
                return saved.uri();
            }
        }
        return null;
    }

    /// When the first attempt was claimed, Unix time in ms; 0 before.
    long firstClaimMillis() {
        if (droppedClaimMillis > 0) {
            return droppedClaimMillis;
        }
        for (Counted attempt : counted()) {
            Claim claim = attempt.state().claim();
            if (claim != null) {
                return claim.millis();
            }
        }
        return 0;
    }

    /// When training first started, Unix time in ms; [Long#MAX_VALUE] before.
    long firstStartMillis() {
        long first = droppedStartMillis;
        for (Counted attempt : counted()) {
            Start start = attempt.state().start();
            first = start == null ? first : Math.min(first, start.millis());
        }
        return first;
    }
}
