package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.JobChain;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.ownership.CommandContent;
import io.trainyard.ownership.DeferredByVersion.Deferral;
import io.trainyard.ownership.Ownership;
import io.trainyard.ownership.RecoveryAction;
import io.trainyard.sweep.SuccessiveHalving;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/// Performs recovery actions for jobs without a live owner, according to the store: publishes commands again,
/// publishes a job's state, dead-letters commands that no worker understands. A failed action is logged and
/// becomes due again.
final class RecoveryActions {
    private static final System.Logger LOG = System.getLogger(RecoveryActions.class.getName());

    /// The time limit of one action; unfinished actions become due again.
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final WorkerContext context;
    private final WorkerRules rules;
    private final EventPublisher publisher;
    private final OutcomePublisher outcomes;
    private final SuccessiveHalving halving;

    RecoveryActions(WorkerContext context) {
        this.context = context;
        this.rules = context.rules();
        this.publisher = context.publisher();
        this.outcomes = new OutcomePublisher(context);
        this.halving = new SuccessiveHalving(context.store());
    }

    void perform(RecoveryAction action) throws InterruptedException {
        try {
            switch (action) {
                case RecoveryAction.Republish republish -> republish(republish);
                case RecoveryAction.Cancel(String job) -> await(outcomes.cancel(folder(job), null));
                case RecoveryAction.PublishPaused(String job, boolean watched) -> {
                    JobFolder folder = folder(job);
                    JobChain chain = folder.chain();
                    if (isWaiting(chain, watched)) {
                        publish(new Paused(
                                job, chain.attempt(), folder.checkpoints().lastStep()));
                    }
                }
                case RecoveryAction.PublishResumed(String job, boolean watched) -> {
                    JobChain chain = folder(job).chain();
                    if (isWaiting(chain, watched)) {
                        publish(new Resumed(job, chain.attempt()));
                    }
                }
            }
        } catch (CheckpointException | ExecutionException | TimeoutException e) {
            logFailure(action.job(), e);
        }
    }

    private static boolean isWaiting(JobChain chain, boolean watched) {
        return chain.end().isEmpty() && (watched || chain.last() == 0);
    }

    /// The command comes first and the ownership second: a process that dies in between leaves a duplicate
    /// command, which is void.
    private void republish(RecoveryAction.Republish action)
            throws InterruptedException, ExecutionException, TimeoutException {
        var request = action.request();
        LOG.log(
                System.Logger.Level.INFO,
                "job={0} worker={1} publishes the command of attempt {2}, because {3}",
                action.job(),
                rules.worker(),
                request.attempt(),
                action.resumed() ? "the job is resumed" : "its owner sends no heartbeats");
        if (action.resumed()) {
            publish(new Resumed(action.job(), folder(action.job()).chain().attempt()));
        }
        publish(request, action.copies());
    }

    private void publish(CommandContent request, int copies)
            throws InterruptedException, ExecutionException, TimeoutException {
        await(publisher.publish(request));
        await(publisher.publish(Ownership.waiting(request, rules.worker(), copies)));
    }

    List<CommandContent> best(List<CommandContent> paused) {
        try {
            Set<String> best = Set.copyOf(
                    halving.goOn(paused.stream().map(CommandContent::job).toList()));
            return paused.stream()
                    .filter(request -> best.contains(request.job().id()))
                    .toList();
        } catch (CheckpointException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "worker={0} cannot determine which jobs of group={1} continue, and will retry: {2}",
                    rules.worker(),
                    paused.getFirst().job().group(),
                    e.getMessage());
            return List.of();
        }
    }

    /// Resumes a job that is paused at a rung. The event comes last: if another worker has to repeat this,
    /// other jobs may be better by then.
    void resume(CommandContent request) throws InterruptedException {
        String job = request.job().id();
        try {
            Resumed event = new Resumed(job, folder(job).chain().attempt());
            LOG.log(
                    System.Logger.Level.INFO,
                    "job={0} worker={1} publishes the command of attempt {2}, because the job is among the best of group={3}",
                    job,
                    rules.worker(),
                    request.attempt(),
                    request.job().group());
            publish(request, 1);
            publish(event);
        } catch (CheckpointException | ExecutionException | TimeoutException e) {
            logFailure(job, e);
        }
    }

    /// Dead-letters a command that no worker understands. A job that has ended meanwhile, for example because
    /// it was cancelled, needs no dead letter.
    void giveUp(Deferral<DeferredRecord> deferral) throws InterruptedException {
        try {
            var command = deferral.command().command();
            if (folder(DeferredRecord.job(deferral.key())).chain().end().isEmpty()) {
                await(publisher.deadLetter(
                        command,
                        "%s. The command was written for schema version %d of commands, and no live worker supported it for %d heartbeats; start workers of a version that supports it, or remove the newer fields, and submit it again"
                                .formatted(
                                        deferral.command().reason(),
                                        deferral.schemaVersion(),
                                        rules.deferring().beats())));
            }
            await(publisher.endDeferral(deferral.key()));
        } catch (CheckpointException | ExecutionException | TimeoutException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "worker={0} could not dead-letter {1} and will retry: {2}",
                    rules.worker(),
                    deferral.key(),
                    e.getMessage());
        }
    }

    private void publish(TrainingEvent event) throws InterruptedException, ExecutionException, TimeoutException {
        await(publisher.publish(SerializedEvent.of(event, context.host().now(), rules.worker()), null));
    }

    private void await(CompletableFuture<Void> published)
            throws InterruptedException, ExecutionException, TimeoutException {
        var _ = context.host().await(published, TIMEOUT);
    }

    private JobFolder folder(String job) {
        return new JobFolder(context.store(), job);
    }

    private void logFailure(String job, Exception e) {
        LOG.log(
                System.Logger.Level.WARNING,
                "job={0} worker={1} could not recover the job and will retry: {2}",
                job,
                rules.worker(),
                e.getMessage());
    }
}
