package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonValue;
import io.trainyard.event.JobState.Epoch;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Started;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The tested epochs of a job, whichever of its attempts has trained them: a newer attempt keeps the epochs before the
/// step it goes on from. Tests and starts are on topics of their own, so either may be read first.
final class TestedEpochs {
    private final List<Epoch> epochs = new ArrayList<>();
    private @Nullable EpochTested lastTest;
    private int startedAttempt;
    private long firstStep = 1;

    void begin(Started started) {
        startedAttempt = started.attempt();
        firstStep = started.firstStep();
        epochs.removeIf(epoch -> epoch.attempt() < startedAttempt && epoch.step() >= firstStep);
    }

    void add(EpochTested tested) {
        if (isOver(tested)) {
            return;
        }
        epochs.removeIf(epoch -> epoch.epoch() == tested.epoch());
        epochs.add(Epoch.of(tested));
        epochs.sort(Comparator.comparingInt(Epoch::epoch));
        if (epochs.getLast().epoch() == tested.epoch()) {
            lastTest = tested;
        }
    }

    /// Whether a newer attempt has trained that epoch anew, or will.
    private boolean isOver(EpochTested tested) {
        return (tested.attempt() < startedAttempt && tested.step() >= firstStep)
                || epochs.stream()
                        .anyMatch(epoch -> epoch.epoch() == tested.epoch() && epoch.attempt() > tested.attempt());
    }

    /// In order.
    @JsonValue
    List<Epoch> all() {
        return List.copyOf(epochs);
    }

    /// The last one; null before the first.
    @Nullable
    Epoch newest() {
        return epochs.isEmpty() ? null : epochs.getLast();
    }

    /// Its test, with the numbers by class; null before the first.
    @Nullable
    EpochTested lastTest() {
        return lastTest;
    }
}
