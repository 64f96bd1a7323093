package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.custody.Custody;
import io.trainyard.custody.Request;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent.Expanded;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import io.trainyard.training.JobTraining;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/// Makes the jobs of a sweep that it stands for.
///
/// All trials are with the brokers before the store has the sweep's end, and that before it is told. Whoever
/// dies in
/// between has the command delivered again, or by custody published anew, and the next one publishes the same
/// trials: a
/// job that has begun already is void the second time.
final class Expansion {
    private static final System.Logger LOG = System.getLogger(Expansion.class.getName());

    /// How many commands are on their way at a time.
    private static final int CHUNK = 100;

    private final WorkerRules rules;
    private final Host host;
    private final EventPublisher publisher;
    private final Announcer announcer;

    Expansion(Surroundings around, Announcer announcer) {
        this.rules = around.rules();
        this.host = around.host();
        this.publisher = around.publisher();
        this.announcer = announcer;
    }

    /// @throws io.trainyard.spec.InvalidJobException if nobody can run the job as it is written, or one that it
    ///     stands
    ///     for
    void requireRunnable(JobSpec job) {
        if (job.sweep() != null) {
            rules.limits().requireTrials(Trials.count(job));
        }
        var _ = Trials.of(job, JobTraining::requireRunnable);
    }

    /// Publishes the trials, and ends the sweep with that.
    ///
    /// @param attempt that the sweep would be at, were it a job
    /// @return done when its end is told
    CompletableFuture<Void> expand(Request sweep, JobFolder folder, int attempt)
            throws InterruptedException, ExecutionException, TimeoutException {
        List<JobSpec> trials = Trials.of(sweep.job());
        var _ = host.await(publisher.publish(Custody.waiting(sweep, rules.worker(), 1)), rules.claimTimeout());
        for (int from = 0; from < trials.size(); from += CHUNK) {
            var _ = host.await(
                    CompletableFuture.allOf(trials.subList(from, Math.min(trials.size(), from + CHUNK)).stream()
                            .map(trial -> publisher.publish(sweep.of(trial)))
                            .toArray(CompletableFuture<?>[]::new)),
                    rules.claimTimeout());
        }
        KillPoint.TRIALS_PUBLISHED.reach();
        LOG.log(
                System.Logger.Level.INFO,
                "job={0} worker={1} is a sweep: its {2} trials are published",
                sweep.job().id(),
                rules.worker(),
                trials.size());
        byte[] event = EventJson.write(new Expanded(sweep.job().id(), attempt, trials.size()), host.now());
        ChainLink next = folder.append(attempt - 1, new End(new String(event, StandardCharsets.UTF_8)));
        if (!(next instanceof End end)) {
            throw new CheckpointException("the chain of the sweep %s goes on with %s instead of an end"
                    .formatted(sweep.job().id(), next));
        }
        return announcer.announce(folder, attempt, end, sweep.trace());
    }
}
