package io.trainyard.training;

import io.trainyard.event.TrainingEvent;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Whom an attempt answers to: it hears what happens, and may ask for an end.
public interface Supervisor {
    /// Takes what happens, in order, on the attempt's thread. What it throws ends the attempt.
    void tell(TrainingEvent event);

    /// Asked at every step boundary; once true, the attempt saves a checkpoint and ends with [Outcome.Released].
    boolean stopRequested();

    static Supervisor of(Consumer<TrainingEvent> events, BooleanSupplier stopRequested) {
        return new Supervisor() {
            @Override
            public void tell(TrainingEvent event) {
                events.accept(event);
            }

            @Override
            public boolean stopRequested() {
                return stopRequested.getAsBoolean();
            }
        };
    }
}
