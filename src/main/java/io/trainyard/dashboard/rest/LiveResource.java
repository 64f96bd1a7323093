package io.trainyard.dashboard.rest;

import io.smallrye.mutiny.Multi;
import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.JobHistory;
import io.trainyard.dashboard.LiveUpdate;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

/// The live stream as server-sent events: `snapshot`, then `change`, and `end` when the caller's token expires.
/// Bounded per client ([LiveUpdates]) and in clients.
@Path("/api/v1/live")
@Singleton
public class LiveResource {
    /// The next stream must need a new token.
    private static final Duration MARGIN = Duration.ofSeconds(1);

    private final JobHistory history;
    private final DashboardConfig config;
    private final Access access;
    private final AtomicInteger open = new AtomicInteger();

    /// Versions count from the start of a process.
    private final String process = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);

    LiveResource(JobHistory history, DashboardConfig config, Access access) {
        this.history = history;
        this.config = config;
        this.access = access;
    }

    @GET
    @Produces(MediaType.SERVER_SENT_EVENTS)
    @Operation(
            summary =
                    "What changes, as server-sent events: `snapshot`, then `change`, and `end` if the token has expired",
            description =
                    "With `Last-Event-ID`, a client that reconnects receives the changes since then. A slow client receives the newest state, less often.")
    public Multi<OutboundSseEvent> live(@Context Sse sse, @HeaderParam("Last-Event-ID") @Nullable String lastEventId) {
        if (open.incrementAndGet() > config.maxLiveStreams()) {
            open.decrementAndGet();
            throw Problem.refusal(
                    Status.SERVICE_UNAVAILABLE,
                    "there are %d live streams already (trainyard.dashboard.max-live-streams); close one"
                            .formatted(config.maxLiveStreams()));
        }
        Multi<OutboundSseEvent> updates = LiveUpdates.of(
                        history, known(lastEventId), config.livePeriod(), config.liveKeepAlive())
                .map(update -> sse.newEventBuilder()
                        .id(process + "-" + update.version())
                        .name(update.snapshot() ? "snapshot" : "change")
                        .mediaType(MediaType.APPLICATION_JSON_TYPE)
                        .data(LiveUpdate.class, update)
                        .build());
        Multi<OutboundSseEvent> end = Multi.createFrom()
                .item(sse.newEventBuilder()
                        .name("end")
                        .data("the token has expired")
                        .build());
        return access.validFor()
                .map(time -> Multi.createBy()
                        .concatenating()
                        .streams(updates.select().first(time.isNegative() ? MARGIN : time.plus(MARGIN)), end))
                .orElse(updates)
                .onTermination()
                .invoke(open::decrementAndGet);
    }

    /// The version that a client has; 0 where it has none of this process's.
    private long known(@Nullable String lastEventId) {
        String mine = process + "-";
        if (lastEventId == null || !lastEventId.startsWith(mine)) {
            return 0;
        }
        try {
            return Math.max(0, Long.parseLong(lastEventId.substring(mine.length())));
        } catch (NumberFormatException _) {
            return 0;
        }
    }
}
