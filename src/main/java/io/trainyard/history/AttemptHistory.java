package io.trainyard.history;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

final class AttemptHistory {
    /// An event with its time, Unix time in ms.
    ///
    /// @param maybeOthers whether another worker than the owner may publish it
    record Word(String type, long millis, boolean maybeOthers) {}

    private final PublishedLosses losses = new PublishedLosses();

    private final Map<Integer, Long> tests = new TreeMap<>();

    private @Nullable Word claim;
    private @Nullable Started start;
    private @Nullable Word last;
    private @Nullable Word end;
    private @Nullable String claimer;

    /// The first pause published by each worker. An ownership monitor may publish it, too.
    private final Map<String, Word> pauses = new HashMap<>();

    /// @return false if its losses exceed the limit
    boolean take(EventRecord record) {
        TrainingEvent event = record.event();
        boolean controlled = event instanceof TrainingEvent.Paused || event instanceof TrainingEvent.Cancelled;
        Word word = new Word(event.type(), record.millis(), controlled);
        switch (event) {
            case TrainingEvent.Released _,
                    TrainingEvent.Finished _,
                    TrainingEvent.Failed _,
                    TrainingEvent.Cancelled _,
                    TrainingEvent.Expanded _ -> end = end == null || word.millis() < end.millis() ? word : end;
            case TrainingEvent.Paused _ ->
                pauses.merge(
                        String.valueOf(record.worker()),
                        word,
                        (one, other) -> one.millis() <= other.millis() ? one : other);
            case TrainingEvent.Resumed _ -> {}
            case Claimed _, Started _, StepLosses _, EpochTested _, TrainingEvent.CheckpointSaved _ ->
                last = last == null || word.millis() > last.millis() ? word : last;
        }
        switch (event) {
            case Claimed claimed -> {
                claim = claim == null || word.millis() < claim.millis() ? word : claim;
                claimer = claimed.worker();
            }
            case Started started -> start = started;
            case EpochTested tested -> tests.put(tested.epoch(), tested.step());
            default -> {} // the other events need no further fields
        }
        return !(event instanceof StepLosses steps) || losses.add(steps.firstStep(), steps.losses());
    }

    @Nullable
    Word claim() {
        return claim;
    }

    @Nullable
    Started start() {
        return start;
    }

    /// The last event except its end.
    @Nullable
    Word last() {
        return last;
    }

    /// The end or the pause of the attempt. A pause from before its claim does not end it.
    @Nullable
    Word end() {
        Word pause = pauses.getOrDefault(String.valueOf(claimer), pauses.get("null"));
        Word ownPause = pause != null && claim != null && claim.millis() < pause.millis() ? pause : null;
        return end == null || (ownPause != null && ownPause.millis() < end.millis()) ? ownPause : end;
    }

    PublishedLosses losses() {
        return losses;
    }

    Map<Integer, Long> tests() {
        return tests;
    }

    /// Whether both attempts must give the same bits: same kind and number of devices, same number of threads.
    boolean computesAs(AttemptHistory other) {
        return start != null
                && other.start != null
                && start.threads() == other.start.threads()
                && kinds(start).equals(kinds(other.start));
    }

    private static String kinds(Started start) {
        return start.device().replaceAll(":[0-9]+", "");
    }
}
