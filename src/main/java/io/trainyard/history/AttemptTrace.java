package io.trainyard.history;

import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What one attempt has told.
final class AttemptTrace {
    /// A word and when it was said, since 1970.
    ///
    /// @param maybeOthers whether it may be said by somebody who has not got the job
    record Word(String type, long millis, boolean maybeOthers) {}

    private final ToldLosses losses = new ToldLosses();

    /// The steps at which epochs were tested.
    private final Map<Integer, Long> tests = new TreeMap<>();

    private @Nullable Word claim;
    private @Nullable Started start;
    private @Nullable Word last;
    private @Nullable Word end;
    private @Nullable String claimer;

    /// When it rests, as each worker says first: one that keeps the job of another tells it, too.
    private final Map<String, Word> pauses = new HashMap<>();

    /// @return false where its losses cannot be kept
    boolean take(Happened news) {
        TrainingEvent event = news.event();
        boolean wished = event instanceof TrainingEvent.Paused || event instanceof TrainingEvent.Cancelled;
        Word word = new Word(event.type(), news.millis(), wished);
        switch (event) {
            case TrainingEvent.Released _,
                    TrainingEvent.Finished _,
                    TrainingEvent.Failed _,
                    TrainingEvent.Cancelled _,
                    TrainingEvent.Expanded _ -> end = end == null || word.millis() < end.millis() ? word : end;
            case TrainingEvent.Paused _ ->
                pauses.merge(
                        String.valueOf(news.worker()),
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
            default -> {} // nothing more is kept of the others
        }
        return !(event instanceof StepLosses told) || losses.add(told.firstStep(), told.losses());
    }

    @Nullable
    Word claim() {
        return claim;
    }

    @Nullable
    Started start() {
        return start;
    }

    /// Its last word that is not its end.
    @Nullable
    Word last() {
        return last;
    }

    /// Its end, or its rest: a job that rested before it was claimed has not ended with that.
    @Nullable
    Word end() {
        Word pause = pauses.getOrDefault(String.valueOf(claimer), pauses.get("null"));
        Word rest = pause != null && claim != null && claim.millis() < pause.millis() ? pause : null;
        return end == null || (rest != null && rest.millis() < end.millis()) ? rest : end;
    }

    ToldLosses losses() {
        return losses;
    }

    Map<Integer, Long> tests() {
        return tests;
    }

    /// Whether both compute the same bits: on the same kind and number of devices, with as many threads.
    boolean computesAs(AttemptTrace other) {
        return start != null
                && other.start != null
                && start.threads() == other.start.threads()
                && kinds(start).equals(kinds(other.start));
    }

    private static String kinds(Started start) {
        return start.device().replaceAll(":[0-9]+", "");
    }
}
