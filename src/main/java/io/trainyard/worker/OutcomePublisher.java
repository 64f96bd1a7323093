package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.JobChain;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Manifest;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.SuccessiveHalving;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Publishes the end of a job that the store already has. Repeating it is safe.
final class OutcomePublisher {
    private static final System.Logger LOG = System.getLogger(OutcomePublisher.class.getName());

    private final EventPublisher publisher;
    private final FleetView fleet;
    private final Host host;
    private final SuccessiveHalving halving;

    OutcomePublisher(WorkerContext context) {
        this.publisher = context.publisher();
        this.fleet = context.fleet();
        this.host = context.host();
        this.halving = new SuccessiveHalving(context.store());
    }

    /// Publishes a job's end. The events in its last checkpoint come first because the brokers may not have
    /// them; the end of ownership comes last. Each step waits for the one before. If this process dies in
    /// between, another worker continues.
    CompletableFuture<Void> announce(JobFolder folder, int number, End stored, @Nullable String trace) {
        String job = folder.name();
        try {
            Optional<Manifest> last = folder.checkpoints().lastManifest();
            AttemptOwners owners = new AttemptOwners(folder);
            SerializedEvent end = line(stored.event(), owners);
            result(folder, number, end.event(), last);
            List<CompletableFuture<Void>> pending = new ArrayList<>();
            for (String text : last.map(Manifest::pending).orElse(List.of())) {
                pending.add(publisher.publish(line(text, owners), trace));
            }
            return CompletableFuture.allOf(pending.toArray(CompletableFuture<?>[]::new))
                    .thenCompose(_ -> publisher.publish(end, trace))
                    .thenCompose(_ -> close(job));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "job={0} its stored end is not an event: {1}", job, e.getMessage());
            return close(job);
        }
    }

    /// A process that died after it stored the end may not have written the job's result to its group.
    private void result(JobFolder folder, int number, TrainingEvent end, Optional<Manifest> last) throws IOException {
        if (!(end instanceof Failed || end instanceof Finished)) {
            return;
        }
        Optional<byte[]> spec = folder.spec();
        if (spec.isEmpty()) {
            return;
        }
        JobSpec job;
        try {
            job = JobJson.read(spec.get());
        } catch (InvalidJobException e) {
            throw new IOException("its specification cannot be read: " + e.getMessage(), e);
        }
        halving.ended(job, end, number, () -> last.map(Manifest::score).orElse(null));
        if (job.asha() != null && job.group() != null) {
            fleet.rungResultStored(job.group());
        }
    }

    private SerializedEvent line(String json, AttemptOwners owners) throws IOException {
        return SerializedEvent.read(json.getBytes(StandardCharsets.UTF_8), host.now(), owners);
    }

    CompletableFuture<Void> close(String job) {
        CompletableFuture<Void> published = publisher.endOwnership(job);
        return fleet.controls().isAny(job) ? CompletableFuture.allOf(published, publisher.endControl(job)) : published;
    }

    /// Ends a job that no worker runs. If a worker does run it, the end supersedes that attempt.
    CompletableFuture<Void> cancel(JobFolder folder, @Nullable String trace) {
        while (true) {
            JobChain chain = folder.chain();
            Optional<End> ended = chain.end();
            if (ended.isPresent()) {
                return announce(folder, chain.last(), ended.get(), trace);
            }
            TrainingEvent event = new Cancelled(
                    folder.name(), chain.attempt(), folder.checkpoints().lastStep(chain));
            End end = new End(new String(EventJson.write(event, host.now()), StandardCharsets.UTF_8));
            if (folder.append(chain.last(), end).equals(end)) {
                return announce(folder, chain.last() + 1, end, trace);
            } // another process appended first
        }
    }
}
