package io.trainyard.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMixedDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.ServerRequest;
import io.fabric8.mockwebserver.ServerResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;

/// fabric8's mock API server, which stores the objects that it gets.
public final class StandInApiServer implements AutoCloseable {
    private final KubernetesMockServer server;
    private final NamespacedKubernetesClient client;

    public StandInApiServer() {
        Map<ServerRequest, Queue<ServerResponse>> answers = new HashMap<>();
        server = new KubernetesMockServer(
                new Context(), new MockWebServer(), answers, new KubernetesMixedDispatcher(answers), false);
        server.init();
        client = server.createClient();
    }

    /// Its address and user.
    public Config config() {
        return client.getConfiguration();
    }

    /// Creates or replaces a pod with an annotation of another program.
    public void makePod(String name, String othersAnnotation, String value) {
        var _ = client.pods()
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .addToAnnotations(othersAnnotation, value)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName("node-1")
                        .endSpec()
                        .build())
                .createOr(pod -> pod.update());
    }

    Pod pod(String name) {
        return Objects.requireNonNull(client.pods().withName(name).get(), name);
    }

    public Map<String, String> annotations(String pod) {
        return pod(pod).getMetadata().getAnnotations();
    }

    int requests() {
        return server.getRequestCount();
    }

    RecordedRequest lastRequest() throws InterruptedException {
        return server.getLastRequest();
    }

    /// Answers the next patch of a pod with this status.
    void answerPatch(String pod, int status, String message) {
        server.expect()
                .patch()
                .withPath("/api/v1/namespaces/%s/pods/%s".formatted(client.getNamespace(), pod))
                .andReturn(status, Map.of("kind", "Status", "apiVersion", "v1", "code", status, "message", message))
                .once();
    }

    @Override
    public void close() {
        client.close();
        server.destroy();
    }
}
