package io.trainyard.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import io.trainyard.Slow;
import io.trainyard.metrics.YamlFiles;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Kubernetes has no permission for annotations only, so a policy limits the dashboard's permission to patch
/// pods. Google's CEL evaluates its rules here, as API servers do.
@Slow
class MarkingPolicyTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DASHBOARD = "system:serviceaccount:trainyard:trainyard-dashboard";

    private static final CelCompiler COMPILER = CelCompilerFactory.standardCelCompilerBuilder()
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addVar("object", SimpleType.DYN)
            .addVar("oldObject", SimpleType.DYN)
            .addVar("request", SimpleType.DYN)
            .addVar("variables", SimpleType.DYN)
            .build();

    private static final CelRuntime RUNTIME =
            CelRuntimeFactory.standardCelRuntimeBuilder().build();

    private static final String WORKER = """
            {"metadata": {"name": "worker-1", "namespace": "trainyard",
              "labels": {"app.kubernetes.io/name": "trainyard", "app.kubernetes.io/component": "worker"}%s},
             "spec": {"containers": [{"name": "worker", "image": "trainyard:0.2.0"}]}}""";

    private static JsonNode policy() throws Exception {
        return YamlFiles.read(Path.of("k8s/base/marking-policy.yaml")).get("spec");
    }

    private static Object evaluate(String expression, Map<String, Object> variables) throws Exception {
        return RUNTIME.createProgram(COMPILER.compile(expression).getAst()).eval(variables);
    }

    private static Map<String, Object> pod(String annotations) throws Exception {
        return map(WORKER.formatted(annotations.isEmpty() ? "" : ", \"annotations\": " + annotations));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(String json) throws Exception {
        return JSON.readValue(json, Map.class);
    }

    /// Whether a user may change one pod into the other.
    private static boolean mayPatch(String user, Map<String, Object> before, Map<String, Object> after)
            throws Exception {
        Map<String, Object> known = new HashMap<>(Map.of(
                "object",
                after,
                "oldObject",
                before,
                "request",
                Map.of("namespace", "trainyard", "userInfo", Map.of("username", user))));
        for (JsonNode condition : policy().get("matchConditions")) {
            if (evaluate(condition.get("expression").asText(), known).equals(false)) {
                return true; // the policy does not apply
            }
        }
        Map<String, Object> variables = new HashMap<>();
        known.put("variables", variables);
        for (JsonNode variable : policy().get("variables")) {
            variables.put(
                    variable.get("name").asText(),
                    evaluate(variable.get("expression").asText(), known));
        }
        for (JsonNode rule : policy().get("validations")) {
            if (!evaluate(rule.get("expression").asText(), known).equals(true)) {
                return false;
            }
        }
        return true;
    }

    private static boolean dashboardMay(String before, String after) throws Exception {
        return mayPatch(DASHBOARD, pod(before), pod(after));
    }

    @Test
    void marksMayBeAddedChangedAndRemoved() throws Exception {
        String kept = "\"example.org/kept\": \"a\"";
        for (PodMark mark : PodMark.values()) {
            Map<String, Object> annotations = new HashMap<>(mark.annotations());
            annotations.values().removeIf(value -> value == null);
            String marked = JSON.writeValueAsString(annotations);
            assertThat(dashboardMay("", marked)).isTrue();
            assertThat(dashboardMay(marked, "")).isTrue();
            assertThat(dashboardMay("{%s}".formatted(kept), marked.replace("}", "," + kept + "}")))
                    .isTrue();
            for (PodMark other : PodMark.values()) {
                Map<String, Object> others = new HashMap<>(other.annotations());
                others.values().removeIf(value -> value == null);
                assertThat(dashboardMay(marked, JSON.writeValueAsString(others)))
                        .isTrue();
            }
        }
    }

    @Test
    void noOtherAnnotationMayChange() throws Exception {
        assertThat(dashboardMay("", "{\"a\": \"1\"}")).isFalse();
        assertThat(dashboardMay("{\"a\": \"1\"}", "")).isFalse();
        assertThat(dashboardMay("{\"a\": \"1\"}", "{\"a\": \"2\"}")).isFalse();
        assertThat(dashboardMay("{\"a\": \"1\"}", "{\"a\": \"1\"}")).isTrue();
    }

    @Test
    void noOtherFieldOfAPodMayChange() throws Exception {
        assertThat(mayChange(pod -> spec(pod).put("activeDeadlineSeconds", 1))).isFalse();
        assertThat(mayChange(pod -> spec(pod).put("containers", List.of(Map.of("name", "worker", "image", "evil:1")))))
                .as("an image is among what may be patched of a pod that runs")
                .isFalse();
        assertThat(mayChange(pod -> metadata(pod).put("labels", Map.of()))).isFalse();
        assertThat(mayChange(pod -> metadata(pod).put("finalizers", List.of("a/b"))))
                .isFalse();
        assertThat(mayChange(pod -> metadata(pod).put("ownerReferences", List.of())))
                .isFalse();
        assertThat(mayChange(pod -> metadata(pod).put("resourceVersion", "2"))).isTrue();
    }

    private static boolean mayChange(Consumer<Map<String, Object>> change) throws Exception {
        Map<String, Object> after = pod("");
        change.accept(after);
        return mayPatch(DASHBOARD, pod(""), after);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> metadata(Map<String, Object> pod) {
        return (Map<String, Object>) Objects.requireNonNull(pod.get("metadata"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> spec(Map<String, Object> pod) {
        return (Map<String, Object>) Objects.requireNonNull(pod.get("spec"));
    }

    @Test
    void onlyWorkersMayBeMarked() throws Exception {
        Map<String, Object> broker = map("{\"metadata\": {\"name\": \"broker-0\"}, \"spec\": {}}");
        assertThat(mayPatch(DASHBOARD, broker, broker)).isFalse();
        Map<String, Object> other = map(WORKER.formatted("").replace("\"worker\"}", "\"dashboard\"}"));
        assertThat(mayPatch(DASHBOARD, other, other)).isFalse();
    }

    @Test
    void otherUsersMayPatchPods() throws Exception {
        for (String user : new String[] {"system:node:node-1", "system:serviceaccount:else:trainyard-dashboard"}) {
            assertThat(mayPatch(user, pod(""), pod("{\"a\": \"1\"}"))).isTrue();
        }
    }
}
