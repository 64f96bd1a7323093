package io.trainyard.dashboard;

import io.smallrye.mutiny.Multi;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import java.util.concurrent.atomic.AtomicInteger;

/// The live stream: a `snapshot`, then a `change` at most once a period.
///
/// Nothing is queued for a client. A tick that finds it still writing is dropped, and the next update is made from the
/// history when there is room for it; so a slow client is given the newest state, only less often.
@Path("/api/live")
@Singleton
public class LiveResource {
    private final JobHistory history;
    private final DashboardConfig config;
    private final AtomicInteger open = new AtomicInteger();

    LiveResource(JobHistory history, DashboardConfig config) {
        this.history = history;
        this.config = config;
    }

    /// What one client has been told.
    private static final class Told {
        long version;
        long atNanos;
    }

    @GET
    @Produces(MediaType.SERVER_SENT_EVENTS)
    public Multi<OutboundSseEvent> live(@Context Sse sse) {
        if (open.incrementAndGet() > config.maxLiveStreams()) {
            open.decrementAndGet();
            throw new WebApplicationException(Response.status(Status.SERVICE_UNAVAILABLE)
                    .type(MediaType.TEXT_PLAIN_TYPE)
                    .entity("there are %d live streams already (trainyard.dashboard.max-live-streams); close one"
                            .formatted(config.maxLiveStreams()))
                    .build());
        }
        Told told = new Told();
        return Multi.createFrom()
                .ticks()
                .every(config.livePeriod())
                .onOverflow()
                .drop()
                .map(_ -> history.since(told.version, System.currentTimeMillis()))
                .filter(update -> isDue(update, told))
                .map(update -> {
                    told.version = update.version();
                    told.atNanos = System.nanoTime();
                    return sse.newEventBuilder()
                            .name(update.snapshot() ? "snapshot" : "change")
                            .mediaType(MediaType.APPLICATION_JSON_TYPE)
                            .data(LiveUpdate.class, update)
                            .build();
                })
                .onTermination()
                .invoke(open::decrementAndGet);
    }

    private boolean isDue(LiveUpdate update, Told told) {
        return !update.isEmpty()
                || System.nanoTime() - told.atNanos >= config.liveKeepAlive().toNanos();
    }
}
