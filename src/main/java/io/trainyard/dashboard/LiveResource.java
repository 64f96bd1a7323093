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

/// The live stream as server-sent events: `snapshot`, then `change`. Bounded per client ([LiveUpdates]) and in
/// clients.
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
        return LiveUpdates.of(history, config.livePeriod(), config.liveKeepAlive())
                .map(update -> sse.newEventBuilder()
                        .name(update.snapshot() ? "snapshot" : "change")
                        .mediaType(MediaType.APPLICATION_JSON_TYPE)
                        .data(LiveUpdate.class, update)
                        .build())
                .onTermination()
                .invoke(open::decrementAndGet);
    }
}
