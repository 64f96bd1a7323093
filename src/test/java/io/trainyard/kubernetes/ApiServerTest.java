package io.trainyard.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// With fabric8's stand-in for an API server, which keeps what it is given.
@EnableKubernetesMockClient(crud = true, https = false)
class ApiServerTest {
    private static final String OTHERS = "example.org/kept";

    static KubernetesMockServer server;
    static KubernetesClient client;
    private static @Nullable ApiServer opened;

    @BeforeAll
    static void open() {
        opened = new ApiServer(client.getConfiguration());
    }

    @AfterAll
    static void close() {
        api().close();
    }

    private static ApiServer api() {
        return Objects.requireNonNull(opened);
    }

    @BeforeEach
    void makePod() {
        var _ = client.pods()
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName("worker-1")
                        .addToAnnotations(OTHERS, "as it is")
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName("node-1")
                        .endSpec()
                        .build())
                .createOr(pod -> pod.update());
    }

    private Pod pod() {
        return Objects.requireNonNull(client.pods().withName("worker-1").get());
    }

    @ParameterizedTest
    @EnumSource
    void aMarkIsItsAnnotationsAndNothingElse(PodMark mark) {
        Pod before = pod();
        for (PodMark earlier : PodMark.values()) {
            assertThat(api().mark("worker-1", earlier)).isTrue();
            assertThat(api().mark("worker-1", mark)).isTrue();
            Map<String, String> annotations = pod().getMetadata().getAnnotations();
            assertThat(annotations).containsEntry(OTHERS, "as it is");
            mark.annotations()
                    .forEach((name, value) ->
                            assertThat(annotations.get(name)).as(name).isEqualTo(value));
        }
        assertThat(pod().getSpec()).isEqualTo(before.getSpec());
    }

    /// As their docs have it: the numbers of deletion costs are strings, and so are the others' truths.
    @Test
    void aBusyPodIsKeptByAllThree() {
        assertThat(PodMark.BUSY.annotations())
                .containsEntry("controller.kubernetes.io/pod-deletion-cost", "100")
                .containsEntry("karpenter.sh/do-not-disrupt", "true")
                .containsEntry("cluster-autoscaler.kubernetes.io/safe-to-evict", "false");
        assertThat(PodMark.IDLE.annotations())
                .containsEntry("controller.kubernetes.io/pod-deletion-cost", "0")
                .containsEntry("karpenter.sh/do-not-disrupt", null)
                .containsEntry("cluster-autoscaler.kubernetes.io/safe-to-evict", "true");
    }

    /// Its role allows nothing else.
    @Test
    void onlyPatchIsAskedFor() throws Exception {
        int before = server.getRequestCount();
        assertThat(api().mark("worker-1", PodMark.BUSY)).isTrue();
        assertThat(server.getRequestCount()).isEqualTo(before + 1);
        RecordedRequest request = server.getLastRequest();
        assertThat(request.getMethod()).isEqualTo("PATCH");
        assertThat(request.getPath())
                .matches("/api/v1/namespaces/%s/pods/worker-1(\\?.*)?".formatted(client.getNamespace()));
        assertThat(request.getHeader("Content-Type")).startsWith("application/merge-patch+json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"somebody-else", "../secrets/keys", "a/b", "UPPER", "a b", "-a", "", "a?force=true", "worker-1/"
            })
    void aWorkerThatIsNoPodIsNone(String name) {
        int before = server.getRequestCount();
        assertThat(api().mark(name, PodMark.BUSY)).isFalse();
        assertThat(server.getRequestCount()).isEqualTo(name.equals("somebody-else") ? before + 1 : before);
    }

    /// The policy that refuses all pods but workers answers so.
    @Test
    void aPodThatMayNotBeMarkedIsNone() {
        answer(422, "it is no worker's pod");
        assertThat(api().mark("worker-1", PodMark.BUSY)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 429, 500})
    void whoIsRefusedHearsWhy(int status) {
        answer(status, "not you");
        assertThatThrownBy(() -> api().mark("worker-1", PodMark.BUSY))
                .isInstanceOf(ApiServerException.class)
                .hasMessageContaining("not you");
    }

    private void answer(int status, String message) {
        server.expect()
                .patch()
                .withPath("/api/v1/namespaces/%s/pods/worker-1".formatted(client.getNamespace()))
                .andReturn(status, Map.of("kind", "Status", "apiVersion", "v1", "code", status, "message", message))
                .once();
    }

    @Test
    void aServerThatIsAwayIsSaidToBe() {
        try (ApiServer away = new ApiServer(new ConfigBuilder(client.getConfiguration())
                .withMasterUrl("https://127.0.0.1:1/")
                .build())) {
            assertThatThrownBy(() -> away.mark("worker-1", PodMark.BUSY)).isInstanceOf(ApiServerException.class);
        }
    }
}
