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
    static final int MAX_KEPT = 1000;

    /// If the maximum is exceeded, an attempt that has not begun is kept if its number is at most this far
    /// above the newest one that has begun. A pause takes a number.
    private static final int NEXT = 2;

    private final NavigableMap<Integer, AttemptState> all = new TreeMap<>();

    /// The highest attempt that was dropped from memory; 0 if all are kept.
    private int forgotten;

    private final SortedMap<Integer, Epoch> forgottenEpochs = new TreeMap<>();
    private long forgottenClaimMillis;
    private long forgottenStartMillis = Long.MAX_VALUE;

    /// The attempt that ended the job; 0 before the end.
    private int last;

    /// An attempt that counts.
    ///
    /// @param endStep the first step that does not count because a newer attempt starts there
    record Counted(int number, AttemptState news, long endStep) {}

    void endWith(int attempt) {
        last = attempt;
    }

    /// Applies an event that does not end the job.
    void take(EventRecord news) {
        if (!isBelieved(news)) {
            return;
        }
        int number = news.event().attempt();
        if (number <= forgotten) {
            return;
        }
        all.computeIfAbsent(number, _ -> new AttemptState()).take(news);
        if (news.event() instanceof EpochTested && counted().stream().anyMatch(attempt -> attempt.number() == number)) {
            all.headMap(number).values().forEach(AttemptState::forgetLastTest);
        }
        if (all.size() > MAX_KEPT) {
            forgetOne();
        }
    }

    /// Drops a forged attempt, with a number far above those that have begun, or else the oldest attempt.
    private void forgetOne() {
        if (all.lastKey() > begun() + NEXT || counted().isEmpty()) {
            all.pollLastEntry();
            return;
        }
        forgottenClaimMillis = firstClaimMillis();
        forgottenStartMillis = firstStartMillis();
        Counted oldest = counted().getFirst();
        oldest.news().epochs().values().stream()
                .filter(epoch -> epoch.step() < oldest.endStep())
                .forEach(epoch -> forgottenEpochs.put(epoch.epoch(), epoch));
        forgotten = oldest.number();
        all.remove(forgotten);
    }

    /// Whether the worker that published an event may publish it. If the claim of the attempt is known, only
    /// the worker that claimed it may. The end of a job, pauses and resumes may also come from an ownership
    /// monitor.
    boolean isBelieved(EventRecord news) {
        String teller = news.worker();
        if (teller == null) {
            return true;
        }
        return switch (news.event()) {
            case Claimed claimed -> teller.equals(claimed.worker());
            case TrainingEvent.Started _,
                    TrainingEvent.StepLosses _,
                    TrainingEvent.EpochTested _,
                    TrainingEvent.CheckpointSaved _,
                    TrainingEvent.Released _ -> {
                AttemptState known = all.get(news.event().attempt());
                Claim claim = known == null ? null : known.claim();
                yield claim == null || teller.equals(claim.worker());
            }
            case TrainingEvent.Paused _,
                    TrainingEvent.Resumed _,
                    TrainingEvent.Finished _,
                    TrainingEvent.Failed _,
                    TrainingEvent.Cancelled _,
                    TrainingEvent.Expanded _ -> true;
        };
    }

    /// The attempts that count, in order.
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
                .filter(attempt -> attempt.news().isPreempted())
                .count();
    }

    /// The highest attempt that counts; 0 without attempts.
    int newest() {
        return last > 0 ? last : begun();
    }

    /// The highest attempt that has begun; 0 without attempts.
    private int begun() {
        int newest = forgotten;
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
            T value = what.apply(attempt.news());
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
        forgottenEpochs.values().stream()
                .filter(epoch -> counted.stream().allMatch(attempt -> epoch.step() < firstStep(attempt)))
                .forEach(epoch -> epochs.put(epoch.epoch(), epoch));
        for (Counted attempt : counted) {
            attempt.news().epochs().values().stream()
                    .filter(epoch -> epoch.step() < attempt.endStep())
                    .forEach(epoch -> epochs.put(epoch.epoch(), epoch));
        }
        return List.copyOf(epochs.values());
    }

    private static long firstStep(Counted attempt) {
        Start start = attempt.news().start();
        return start == null ? Long.MAX_VALUE : start.firstStep();
    }

    /// The URI of the last checkpoint. It may come from an older attempt if the newer ones have none and
    /// continue after it.
    @Nullable
    String checkpoint() {
        for (Counted attempt : counted().reversed()) {
            Saved saved = attempt.news().saved();
            if (saved != null && saved.step() < attempt.endStep()) {
                return saved.uri();
            }
        }
        return null;
    }

    /// When the first attempt was claimed, Unix time in ms; 0 before.
    long firstClaimMillis() {
        if (forgottenClaimMillis > 0) {
            return forgottenClaimMillis;
        }
        for (Counted attempt : counted()) {
            Claim claim = attempt.news().claim();
            if (claim != null) {
                return claim.millis();
            }
        }
        return 0;
    }

    /// When training first started, Unix time in ms; [Long#MAX_VALUE] before.
    long firstStartMillis() {
        long first = forgottenStartMillis;
        for (Counted attempt : counted()) {
            Start start = attempt.news().start();
            first = start == null ? first : Math.min(first, start.millis());
        }
        return first;
    }
}
