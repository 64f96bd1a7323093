package io.trainyard.dashboard.rest;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;

/// An error response according to RFC 9457.
///
/// @param type `about:blank`: the status defines the type
/// @param title the status as text
/// @param detail an explanation for users: the field, its value, the allowed values, a remedy
record Problem(String type, String title, int status, String detail) {
    static final String MEDIA_TYPE = "application/problem+json";

    static Problem of(Status status, String detail) {
        return new Problem("about:blank", status.getReasonPhrase(), status.getStatusCode(), detail);
    }

    /// Sends it where nothing else does.
    void send(HttpServerResponse response) {
        response.setStatusCode(status)
                .putHeader(HttpHeaders.CONTENT_TYPE, MEDIA_TYPE)
                .end(JsonObject.of("type", type, "title", title, "status", status, "detail", detail)
                        .toBuffer());
    }

    Response response() {
        return Response.status(status).type(MEDIA_TYPE).entity(this).build();
    }

    static WebApplicationException refusal(Status status, String detail) {
        return new WebApplicationException(detail, of(status, detail).response());
    }

    static WebApplicationException badRequest(String detail) {
        return refusal(Status.BAD_REQUEST, detail);
    }
}
