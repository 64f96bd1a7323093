package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.event.EventJson;
import io.trainyard.event.FailureCause;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Expanded;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import io.trainyard.training.JobTraining;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// Publishes the trials of a sweep. A sweep is claimed like a job, and its attempt is the expansion, so
/// attempts that end their workers are counted.
///
/// The brokers have all trials before the store has the end of the sweep, and the store has it before it is
/// published. If a worker dies in between, the next one publishes the same trials again; a duplicate of a trial
/// that has begun is void.
final class Expansion {
    /// The time for one trial, after which the attempt counts as hung.
    private static final Duration HANGS = Duration.ofMinutes(10);

    private final WorkerRules rules;
    private final Host host;
    private final EventPublisher publisher;

    Expansion(WorkerContext context) {
        this.rules = context.rules();
        this.host = context.host();
        this.publisher = context.publisher();
    }

    /// Builds each trial once, one at a time.
    ///
    /// @throws io.trainyard.spec.InvalidJobException if the job or one of its trials is invalid
    static void requireRunnable(JobSpec job, WorkerRules rules) {
        if (job.sweep() == null) {
            JobTraining.requireRunnable(job);
            return;
        }
        rules.limits().requireTrials(Trials.count(job));
        Trials.forEach(job, (trial, _) -> JobTraining.requireRunnable(trial));
    }

    Outcome expand(ClaimedAttempt sweep, Supervisor supervisor) {
        try {
            return publish(sweep, supervisor);
        } catch (CheckpointException e) {
            Released event =
                    new Released(sweep.id(), sweep.attempt(), 0, "the store cannot be used: " + e.getMessage(), null);
            supervisor.publish(event);
            return new Outcome.WorkerFault(event, false);
        }
    }

    private Outcome publish(ClaimedAttempt sweep, Supervisor supervisor) {
        if (sweep.folder().chain().brokeOffInARow(sweep.attempt(), 0, rules.maxAttempts()) == rules.maxAttempts()) {
            return end(
                    sweep,
                    new Failed(
                            sweep.id(),
                            sweep.attempt(),
                            "%d attempts in a row to publish its trials ended with their workers: they may need more memory than the workers have; see the workers' logs. To try again, submit a smaller sweep under another id"
                                    .formatted(rules.maxAttempts()),
                            FailureCause.BROKE_OFF.word()),
                    supervisor);
        }
        sweep.folder().noteStarted(sweep.attempt());
        CommandsInFlight commands = new CommandsInFlight(host, rules.claimTimeout(), () -> supervisor.alive(HANGS));
        Trials.forEach(
                sweep.job(),
                (trial, bytes) -> commands.add(
                        bytes, () -> publisher.publish(sweep.request().of(trial))));
        commands.awaitAll();
        KillPoint.TRIALS_PUBLISHED.reach();
        return end(sweep, new Expanded(sweep.id(), sweep.attempt(), Trials.count(sweep.job())), supervisor);
    }

    /// The end is stored first: a published event is always true.
    private Outcome end(ClaimedAttempt sweep, TrainingEvent event, Supervisor supervisor) {
        String json = new String(EventJson.write(event, host.now()), StandardCharsets.UTF_8);
        return sweep.folder().append(sweep.attempt(), new End(json)) instanceof End end
                ? Outcome.publish(end.event(), supervisor)
                : new Outcome.Superseded(sweep.attempt());
    }
}
