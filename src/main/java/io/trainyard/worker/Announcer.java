package io.trainyard.worker;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Tells how jobs have ended: what the store has kept, as often as somebody asks.
final class Announcer {
    private static final System.Logger LOG = System.getLogger(Announcer.class.getName());

    private final EventPublisher publisher;
    private final FleetView fleet;
    private final Host host;
    private final String worker;

    Announcer(Surroundings around) {
        this.publisher = around.publisher();
        this.fleet = around.fleet();
        this.host = around.host();
        this.worker = around.rules().worker();
    }

    /// Tells a job's outcome. Before that, what its last checkpoint says was told and may not have arrived; after
    /// it, that nobody needs to look after the job any more. Each waits for the one before: whoever dies in
    /// between has left the rest to somebody else.
    ///
    /// @param outcome as it was kept
    CompletableFuture<Void> announce(JobFolder folder, byte[] outcome, @Nullable String trace) {
        String job = folder.name();
        try {
            List<CompletableFuture<Void>> pending = new ArrayList<>();
            for (String text : folder.checkpoints().pending()) {
                pending.add(publisher.publish(read(text.getBytes(StandardCharsets.UTF_8), folder), trace));
            }
            EventLine end = read(outcome, folder);
            return CompletableFuture.allOf(pending.toArray(CompletableFuture<?>[]::new))
                    .thenCompose(_ -> publisher.publish(end, trace))
                    .thenCompose(_ -> close(job));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "job={0} what is kept of its end is no event: {1}", job, e.getMessage());
            return close(job);
        }
    }

    private EventLine read(byte[] json, JobFolder folder) throws IOException {
        return EventLine.read(json, host.now(), folder);
    }

    /// Says that nobody needs to look after a job any more.
    CompletableFuture<Void> close(String job) {
        CompletableFuture<Void> said = publisher.endCustody(job);
        return fleet.isControlled(job) ? CompletableFuture.allOf(said, publisher.endControl(job)) : said;
    }

    /// Ends a job that nobody runs. Should somebody run it after all, a later attempt, which nobody makes, ends that:
    /// what was wanted of the job is soon known no more.
    CompletableFuture<Void> cancel(JobFolder folder, @Nullable String trace) {
        int last = folder.lastAttempt();
        TrainingEvent event = new Cancelled(
                folder.name(), Math.max(1, last), folder.checkpoints().lastStep());
        byte[] json = EventJson.write(event, host.now());
        if (folder.keepOutcome(json)) {
            var _ = folder.beginAttempt(worker);
            return announce(folder, json, trace);
        }
        return announce(folder, folder.outcome().orElse(json), trace);
    }
}
