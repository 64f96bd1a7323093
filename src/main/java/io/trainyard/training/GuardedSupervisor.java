package io.trainyard.training;

import io.trainyard.event.TrainingEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// A supervisor of whose exceptions an attempt knows where they are from: each is thrown as a [SupervisorException].
final class GuardedSupervisor implements Supervisor {
    private final Supervisor real;

    GuardedSupervisor(Supervisor real) {
        this.real = real;
    }

    private static <T> T ask(Supplier<T> question) {
        try {
            return question.get();
        } catch (RuntimeException e) {
            throw new SupervisorException(e);
        }
    }

    private static void say(Runnable word) {
        var _ = ask(() -> {
            word.run();
            return true;
        });
    }

    @Override
    public void tell(TrainingEvent event, Instant time) {
        say(() -> real.tell(event, time));
    }

    @Override
    public void tell(TrainingEvent event) {
        say(() -> real.tell(event));
    }

    @Override
    public void tellAgain(String event) {
        say(() -> real.tellAgain(event));
    }

    @Override
    public Optional<Halt> halt() {
        return ask(real::halt);
    }

    @Override
    public boolean heedsRungs() {
        return ask(real::heedsRungs);
    }

    @Override
    public void keptResult(String group) {
        say(() -> real.keptResult(group));
    }

    @Override
    public Optional<String> preemptor() {
        return ask(real::preemptor);
    }

    @Override
    public List<String> unacknowledged() {
        return ask(real::unacknowledged);
    }

    @Override
    public void saves(long step) {
        say(() -> real.saves(step));
    }

    @Override
    public void checkpointFailed() {
        say(real::checkpointFailed);
    }

    @Override
    public void fetched(String dataset, long bytes, long ofBytes) {
        say(() -> real.fetched(dataset, bytes, ofBytes));
    }

    @Override
    public void alive(Duration limit) {
        say(() -> real.alive(limit));
    }
}
