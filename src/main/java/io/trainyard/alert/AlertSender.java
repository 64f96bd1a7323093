package io.trainyard.alert;

import io.trainyard.tracking.AlertQueue;
import io.trainyard.tracking.AlertQueue.Pending;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/// Sends the pending alerts of the tracking store to a webhook. Failed calls are retried with growing intervals
/// until a time limit. Used by one thread.
public final class AlertSender implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AlertSender.class.getName());
    private static final int AT_ONCE = 20;
    private static final int FIRST_WAIT_MILLIS = 1000;
    private static final int MAX_DOUBLINGS = 6;
    private static final int OK = 200;
    private static final int REDIRECT = 300;

    private final AlertQueue queue;
    private final URI url;
    private final Optional<Signature> signature;
    private final Duration timeout;
    private final long retryForMillis;
    private final HttpClient client;

    /// @param signature empty: calls are not signed
    /// @param timeout of one call
    /// @param retryFor how long an alert is retried
    /// @throws IllegalArgumentException if the URL is not an HTTP URL
    public AlertSender(
            AlertQueue queue, String url, Optional<Signature> signature, Duration timeout, Duration retryFor) {
        this.queue = queue;
        this.url = address(url);
        this.signature = signature;
        this.timeout = timeout;
        retryForMillis = retryFor.toMillis();
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                .build();
    }

    /// The error message omits the URL because the path of a webhook may be a secret.
    static URI address(String url) {
        try {
            URI address = new URI(url);
            if (Set.of("http", "https").contains(String.valueOf(address.getScheme())) && address.getHost() != null) {
                return address;
            }
        } catch (URISyntaxException _) { // reported below
        }
        throw new IllegalArgumentException(
                "TRAINYARD_DASHBOARD_ALERTS_URL, which is not repeated here because it may be a secret, is not the address of a web server; allowed is http://HOST/... or https://HOST/...");
    }

    /// Sends the alerts that are due.
    ///
    /// @throws io.trainyard.tracking.TrackingException if the store fails
    public void send() throws InterruptedException {
        List<Pending> due;
        do {
            due = queue.due(System.currentTimeMillis(), AT_ONCE);
            for (Pending alert : due) {
                send(alert);
            }
        } while (due.size() == AT_ONCE);
    }

    private void send(Pending alert) throws InterruptedException {
        String problem = post(alert);
        long now = System.currentTimeMillis();
        if (problem.isEmpty()) {
            queue.sent(alert.id(), now);
        } else if (now - alert.raisedMillis() >= retryForMillis) {
            LOG.log(System.Logger.Level.WARNING, "an alert was given up: %s: %s".formatted(problem, alert.body()));
            queue.givenUp(alert.id());
        } else {
            if (alert.attempts() == 0) {
                LOG.log(System.Logger.Level.WARNING, "an alert was not accepted, and is sent again:  " + problem);
            }
            queue.retry(alert.id(), now + waitMillis(alert.attempts()));
        }
    }

    /// Exponential backoff with up to 50 % random jitter.
    private static long waitMillis(int attempts) {
        long wait = (long) FIRST_WAIT_MILLIS << Math.min(attempts, MAX_DOUBLINGS);
        return wait + ThreadLocalRandom.current().nextLong(wait / 2);
    }

    /// @return the error; empty after success
    private String post(Pending alert) throws InterruptedException {
        long seconds = System.currentTimeMillis() / 1000;
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .timeout(timeout)
                .header("content-type", "application/json")
                .header("user-agent", "trainyard")
                .header("webhook-id", alert.id())
                .header("webhook-timestamp", Long.toString(seconds))
                .POST(BodyPublishers.ofString(alert.body()));
        signature.ifPresent(key -> request.header("webhook-signature", key.of(alert.id(), seconds, alert.body())));
        try {
            HttpResponse<Void> response = client.send(request.build(), BodyHandlers.discarding());
            int status = response.statusCode();
            return status >= OK && status < REDIRECT
                    ? ""
                    : "%s answers with status %d".formatted(url.getHost(), status);
        } catch (IOException e) {
            return "%s does not answer: %s".formatted(url.getHost(), e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
