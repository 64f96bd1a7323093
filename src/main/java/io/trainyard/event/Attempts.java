package io.trainyard.event;

import io.trainyard.event.AttemptNews.Claim;
import io.trainyard.event.AttemptNews.Saved;
import io.trainyard.event.AttemptNews.Start;
import io.trainyard.event.JobNews.Happened;
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

/// The attempts at a job. Those count that have begun, up to the one that ended the job. Losses, tests and
/// checkpoints alone begin none; but where one has begun, those with lower numbers have, too.
///
/// Anyone can write to a topic. An event that another worker tells than the one that claimed the attempt is not
/// believed, and a number far above all others is no attempt's: it would hide the true ones.
final class Attempts {
    /// How much higher the number of the next attempt may be: now and then an attempt dies before it is heard of.
    static final int MAX_GAP = 1000;

    /// How many are kept: the newest. Of those that are forgotten the tests and the first times stay.
    static final int MAX_KEPT = 1000;

    /// How much higher the number of an attempt may be that is not known to have begun, to be kept when there are
    /// too many: a pause takes a number.
    private static final int NEXT = 2;

    private final NavigableMap<Integer, AttemptNews> all = new TreeMap<>();

    /// The highest that is forgotten, which had begun; 0: none is.
    private int forgotten;

    private final SortedMap<Integer, Epoch> forgottenEpochs = new TreeMap<>();
    private long forgottenClaimMillis;
    private long forgottenStartMillis = Long.MAX_VALUE;

    /// The one that ended the job; 0 until one has.
    private int last;

    /// An attempt that counts.
    ///
    /// @param endStep where a newer attempt goes on: from here on its steps do not count
    record Counted(int number, AttemptNews news, long endStep) {}

    void endWith(int attempt) {
        last = attempt;
    }

    /// Takes in an event that does not end the job.
    void take(Happened news) {
        if (!isBelieved(news)) {
            return;
        }
        int number = news.event().attempt();
        if (number <= forgotten) {
            return;
        }
        all.computeIfAbsent(number, _ -> new AttemptNews()).take(news);
        if (news.event() instanceof EpochTested && counted().stream().anyMatch(attempt -> attempt.number() == number)) {
            all.headMap(number).values().forEach(AttemptNews::forgetLastTest);
        }
        if (all.size() > MAX_KEPT) {
            forgetOne();
        }
    }

    /// A number that is far above those that have begun is forged; else the oldest attempt goes.
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

    /// Whether an event is told by somebody who may: where it is known who has claimed the attempt, by that
    /// worker. The end of a job, a pause and what follows it are also told by those who look after jobs that
    /// nobody holds.
    boolean isBelieved(Happened news) {
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
                AttemptNews known = all.get(news.event().attempt());
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

    /// Those that count, in order.
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
        return (int)
                counted().stream().filter(attempt -> attempt.news().madeRoom()).count();
    }

    /// The highest that counts; 0 where none does.
    int newest() {
        return last > 0 ? last : begun();
    }

    /// The highest that has begun; 0 where none has.
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

    /// The time that workers had devices for the job, by attempt; also for attempts that do not count.
    ///
    /// @param end of the job; null: it has not ended
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

    /// What the newest attempt that knows it says; null where none does.
    <T> @Nullable T newest(Function<AttemptNews, @Nullable T> what) {
        for (Counted attempt : counted().reversed()) {
            T value = what.apply(attempt.news());
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /// The tested epochs, in order: of each the test of the newest attempt.
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

    /// The last checkpoint's URI; of an older attempt where the newer ones have none and go on after it.
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

    /// When the first of them was claimed, since 1970; 0 before.
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

    /// When training first began, since 1970; [Long#MAX_VALUE] before.
    long firstStartMillis() {
        long first = forgottenStartMillis;
        for (Counted attempt : counted()) {
            Start start = attempt.news().start();
            first = start == null ? first : Math.min(first, start.millis());
        }
        return first;
    }
}
