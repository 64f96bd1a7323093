package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.WorkerStatus;
import io.trainyard.kubernetes.PodMark;
import io.trainyard.topics.TopicAdmin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The packaged dashboard with what a Kubernetes has for it: an API server.
@EnableKubernetesMockClient(crud = true, https = false)
class KubernetesIT {
    private static final String PREFIX = "kubernetes.";

    KubernetesClient client;

    @TempDir
    private Path dir;

    @Test
    void marksPodsAndSaysWhatIsWanted() throws Exception {
        makePod("worker-1");
        TopicAdmin.createMissing(TestBroker.brokers(), PREFIX, Patience.LIMIT);
        try (EventPublisher publisher = new EventPublisher(TestBroker.address(), PREFIX);
                TrainyardProcess dashboard = start()) {
            String _ = dashboard.await(DashboardIT.URL);
            publisher.send(heartbeat("worker-1", null));
            awaitMark("worker-1", PodMark.IDLE);
            publisher.send(new Claimed("job-1", 1, "worker-1", "cpu"));
            awaitMark("worker-1", PodMark.BUSY);
            assertThat(dashboard.errors()).isEmpty();
        }
    }

    private TrainyardProcess start() throws Exception {
        return TrainyardProcess.start(
                dir,
                List.of(
                        "env",
                        "KUBECONFIG=" + kubeConfig(),
                        "TRAINYARD_DASHBOARD_MARK_PODS=true",
                        TrainyardProcess.LAUNCHER.toString(),
                        "dashboard",
                        "--kafka",
                        TestBroker.address(),
                        "--prefix",
                        PREFIX,
                        "--port",
                        "0"));
    }

    private Path kubeConfig() throws Exception {
        return Files.writeString(dir.resolve("kube.yaml"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: test, cluster: {server: "%s"}}]
                users: [{name: dashboard, user: {token: "a-token"}}]
                contexts: [{name: test, context: {cluster: test, user: dashboard, namespace: "%s"}}]
                current-context: test
                """.formatted(client.getMasterUrl(), client.getNamespace()));
    }

    private void makePod(String name) {
        var _ = client.pods()
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
    }

    private static WorkerStatus heartbeat(String worker, @Nullable String job) {
        return new WorkerStatus(worker, "cpu", job, null, 0, 1, 0, false, null, null, null, null);
    }

    private void awaitMark(String pod, PodMark mark) {
        Patience.await(pod + " to be marked " + mark)
                .until(() -> Objects.equals(
                        mark.annotations().get(PodMark.DELETION_COST),
                        Objects.requireNonNullElse(
                                        client.pods()
                                                .withName(pod)
                                                .get()
                                                .getMetadata()
                                                .getAnnotations(),
                                        Map.<String, String>of())
                                .get(PodMark.DELETION_COST)));
    }
}
