package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.kubernetes.KedaClient;
import io.trainyard.kubernetes.PodMark;
import io.trainyard.kubernetes.StandInApiServer;
import io.trainyard.topics.TopicAdmin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The packaged dashboard with the parts of Kubernetes that it uses: an API server, and KEDA.
class KubernetesIT {
    private static final String PREFIX = "kubernetes.";

    @TempDir
    private Path dir;

    @Test
    void marksPodsAndPublishesDemand() throws Exception {
        TopicAdmin.createMissing(TestBroker.brokers(), PREFIX, Patience.LIMIT);
        try (EventPublisher publisher = new EventPublisher(TestBroker.address(), PREFIX);
                StandInApiServer cluster = new StandInApiServer();
                TrainyardProcess dashboard = start(cluster.config())) {
            cluster.makePod("worker-1", "example.org/kept", "as it is");
            String _ = dashboard.await(DashboardIT.URL);
            publisher.send(heartbeat("worker-1", null));
            awaitMark(cluster, PodMark.IDLE);
            publisher.send(new Claimed("job-1", 1, "worker-1", "cpu"));
            awaitMark(cluster, PodMark.NEWLY_BUSY);
            publisher.send(finished("job-1", 1, 10));
            int port = Integer.parseInt(dashboard.await("KEDA is answered on port (\\d+)"));
            try (KedaClient keda = new KedaClient("localhost", port)) {
                scale(keda, publisher);
            }
            assertThat(dashboard.errors()).isEmpty();
        }
    }

    /// KEDA receives the demand as jobs come and end.
    private static void scale(KedaClient keda, EventPublisher publisher) throws Exception {
        Patience.await("the topics to be read").until(() -> answers(keda));
        try (KedaClient.Stream stream = keda.stream("auto,cuda")) {
            assertThat(stream.next()).isFalse();
            publisher.send(spec("wanted"));
            assertThat(stream.next()).isTrue();
            assertThat(keda.demand("auto,cuda")).isOne();
            assertThat(keda.demand("cpu")).isZero();
            publisher.send(claimed("wanted"), finished("wanted", 1, 10));
            assertThat(stream.next()).isFalse();
        }
    }

    private static boolean answers(KedaClient keda) {
        try {
            return keda.demand("auto,cuda") == 0;
        } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            return false;
        }
    }

    private TrainyardProcess start(Config cluster) throws Exception {
        return DashboardProcess.start(
                dir,
                PREFIX,
                0,
                List.of("KUBECONFIG=" + kubeConfig(cluster), "TRAINYARD_DASHBOARD_MARK_PODS=true"),
                "--scaler-port",
                "0");
    }

    private Path kubeConfig(Config cluster) throws Exception {
        return Files.writeString(
                dir.resolve("kube.yaml"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: test, cluster: {server: "%s"}}]
                users: [{name: dashboard, user: {token: "a-token"}}]
                contexts: [{name: test, context: {cluster: test, user: dashboard, namespace: "%s"}}]
                current-context: test
                """.formatted(cluster.getMasterUrl(), cluster.getNamespace()));
    }

    private static WorkerStatus heartbeat(String worker, @Nullable String job) {
        return WorkerStatusBuilder.of(worker, "cpu").job(job, 1).build();
    }

    private static void awaitMark(StandInApiServer cluster, PodMark mark) {
        Patience.await("the pod to be marked " + mark)
                .until(() -> String.valueOf(mark.annotations().get(PodMark.DELETION_COST))
                        .equals(cluster.annotations("worker-1").get(PodMark.DELETION_COST)));
    }
}
