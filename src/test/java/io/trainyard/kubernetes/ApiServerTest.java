package io.trainyard.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.mockwebserver.http.RecordedRequest;
import io.trainyard.Slow;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Slow
class ApiServerTest {
    private static final String OTHERS = "example.org/kept";
    private static final String POD = "worker-1";

    private static final StandInApiServer CLUSTER = new StandInApiServer();
    private static final ApiServer API = new ApiServer(CLUSTER.config());

    @AfterAll
    static void close() {
        API.close();
        CLUSTER.close();
    }

    @BeforeEach
    void makePod() {
        CLUSTER.makePod(POD, OTHERS, "as it is");
    }

    @ParameterizedTest
    @EnumSource
    void aMarkIsItsAnnotationsAndNothingElse(PodMark mark) {
        Pod before = CLUSTER.pod(POD);
        for (PodMark earlier : PodMark.values()) {
            assertThat(API.mark(POD, earlier)).isTrue();
            assertThat(API.mark(POD, mark)).isTrue();
            Map<String, String> annotations = CLUSTER.annotations(POD);
            assertThat(annotations).containsEntry(OTHERS, "as it is");
            mark.annotations()
                    .forEach((name, value) ->
                            assertThat(annotations.get(name)).as(name).isEqualTo(value));
        }
        assertThat(CLUSTER.pod(POD).getSpec()).isEqualTo(before.getSpec());
    }

    /// As documented by Kubernetes and others: deletion costs and boolean annotations are strings.
    @Test
    void marksProtectBusyPodsFromAllThreeAutoscalers() {
        assertThat(PodMark.BUSY.annotations())
                .containsEntry("controller.kubernetes.io/pod-deletion-cost", "200")
                .containsEntry("karpenter.sh/do-not-disrupt", "true")
                .containsEntry("cluster-autoscaler.kubernetes.io/safe-to-evict", "false");
        assertThat(PodMark.IDLE.annotations())
                .containsEntry("controller.kubernetes.io/pod-deletion-cost", "0")
                .containsEntry("karpenter.sh/do-not-disrupt", null)
                .containsEntry("cluster-autoscaler.kubernetes.io/safe-to-evict", "true");
    }

    /// Its role permits nothing else.
    @Test
    void onlyPatchIsAskedFor() throws Exception {
        int before = CLUSTER.requests();
        assertThat(API.mark(POD, PodMark.BUSY)).isTrue();
        assertThat(CLUSTER.requests()).isEqualTo(before + 1);
        RecordedRequest request = CLUSTER.lastRequest();
        assertThat(request.getMethod()).isEqualTo("PATCH");
        assertThat(request.getPath())
                .matches("/api/v1/namespaces/%s/pods/worker-1(\\?.*)?"
                        .formatted(CLUSTER.config().getNamespace()));
        assertThat(request.getHeader("Content-Type")).startsWith("application/merge-patch+json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"somebody-else", "../secrets/keys", "a/b", "UPPER", "a b", "-a", "", "a?force=true", "worker-1/"
            })
    void workersOutsidePodsAreNotMarked(String name) {
        int before = CLUSTER.requests();
        assertThat(API.mark(name, PodMark.BUSY)).isFalse();
        assertThat(CLUSTER.requests()).isEqualTo(name.equals("somebody-else") ? before + 1 : before);
    }

    /// The admission policy refuses patches of other pods with this answer.
    @Test
    void reportsPodsThatThePolicyProtects() {
        CLUSTER.answerPatch(POD, 422, "it is no worker's pod");
        assertThat(API.mark(POD, PodMark.BUSY)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 429, 500})
    void reportsTheReasonOfARefusal(int status) {
        CLUSTER.answerPatch(POD, status, "not you");
        assertThatThrownBy(() -> API.mark(POD, PodMark.BUSY))
                .isInstanceOf(ApiServerException.class)
                .hasMessageContaining("not you");
    }

    @Test
    void reportsAnUnavailableServer() {
        try (ApiServer away = new ApiServer(new ConfigBuilder(CLUSTER.config())
                .withMasterUrl("https://127.0.0.1:1/")
                .build())) {
            assertThatThrownBy(() -> away.mark(POD, PodMark.BUSY)).isInstanceOf(ApiServerException.class);
        }
    }
}
