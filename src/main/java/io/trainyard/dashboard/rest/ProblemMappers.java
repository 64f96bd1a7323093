package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Printable;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.tracking.TrackingException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.util.Objects;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

class ProblemMappers {
    private static final int MAX_DETAIL = 4000;

    @ServerExceptionMapper
    Response invalidJob(InvalidJobException e) {
        return problem(Status.BAD_REQUEST, e);
    }

    @ServerExceptionMapper
    Response unreadableBody(JsonProcessingException e) {
        return Problem.of(Status.BAD_REQUEST, "the body is not the JSON that is expected: " + e.getOriginalMessage())
                .response();
    }

    @ServerExceptionMapper
    Response kafkaIsAway(KafkaUnreachableException e) {
        return problem(Status.SERVICE_UNAVAILABLE, e);
    }

    @ServerExceptionMapper
    Response storeIsAway(TrackingException e) {
        return problem(Status.SERVICE_UNAVAILABLE, e);
    }

    @ServerExceptionMapper
    Response checkpointsAreAway(CheckpointException e) {
        return problem(Status.NOT_FOUND, e);
    }

    /// Errors of the server itself, such as an unknown path.
    @ServerExceptionMapper
    Response other(WebApplicationException e) {
        Response response = e.getResponse();
        return response.hasEntity()
                ? response
                : Problem.of(Status.fromStatusCode(response.getStatus()), String.valueOf(e.getMessage()))
                        .response();
    }

    private static Response problem(Status status, RuntimeException e) {
        return Problem.of(status, Printable.text(Objects.requireNonNullElse(e.getMessage(), "" + e), MAX_DETAIL))
                .response();
    }
}
