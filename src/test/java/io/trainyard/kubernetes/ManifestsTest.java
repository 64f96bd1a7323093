package io.trainyard.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.Page;
import io.trainyard.Slow;
import io.trainyard.metrics.Label;
import io.trainyard.metrics.YamlFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks each overlay, and each component on the base, against the cluster's requirements and the program's
/// settings.
@Slow
class ManifestsTest {
    /// Referenced objects that operators create; all others must be in the manifests.
    private static final Set<String> MADE_BY_OPERATORS = Set.of(
            "Secret/trainyard-worker",
            "Secret/trainyard-dashboard",
            "Secret/trainyard-cluster-ca-cert",
            "Secret/trainyard-tracking-app");

    /// Longer than the worker's grace period, because the JVM needs time to start its shutdown and to exit.
    private static final Duration AFTER_GRACE = Duration.ofSeconds(8);

    private static final String BASE = "base";

    private static final String OVERLAY = "overlays/cpu";

    private static final Map<String, String> RENDERED = new TreeMap<>();

    /// The overlays, and each component alone.
    static Stream<String> all() throws IOException {
        return Stream.concat(
                Kustomize.overlays().stream().map("overlays/"::concat),
                Kustomize.components().stream().map("components/"::concat));
    }

    private static String text(String what) throws Exception {
        String text = RENDERED.get(what);
        if (text == null) {
            text = what.startsWith("components/")
                    ? Kustomize.renderWith(BASE, what.substring("components/".length()))
                    : Kustomize.render(Kustomize.FOLDER.resolve(what));
            RENDERED.put(what, text);
        }
        return text;
    }

    private static List<JsonNode> objects(String what) throws Exception {
        return YamlFiles.readAll(text(what));
    }

    private static String id(JsonNode object) {
        return object.get("kind").asText() + "/" + object.at("/metadata/name").asText();
    }

    private static List<JsonNode> list(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }

    private static List<JsonNode> deployments(String what) throws Exception {
        return objects(what).stream()
                .filter(object -> object.get("kind").asText().equals("Deployment"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyFieldIsKnownAndThere(String what) throws Exception {
        for (JsonNode object : objects(what)) {
            KubernetesSchemas.require(object);
        }
    }

    /// The "restricted" profile of Kubernetes' pod security standards, and a read-only root file system.
    @ParameterizedTest
    @MethodSource("all")
    void podsAreRestricted(String what) throws Exception {
        for (JsonNode deployment : deployments(what)) {
            JsonNode pod = deployment.at("/spec/template/spec");
            assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean())
                    .as(id(deployment))
                    .isTrue();
            assertThat(pod.at("/securityContext/runAsUser").asLong()).isGreaterThan(0);
            assertThat(pod.at("/securityContext/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
            for (String host : List.of("hostNetwork", "hostPID", "hostIPC")) {
                assertThat(pod.has(host)).as(host).isFalse();
            }
            assertThat(list(pod.path("volumes")))
                    .noneMatch(volume -> volume.has("hostPath"))
                    .isNotEmpty();
            for (JsonNode container : list(pod.get("containers"))) {
                JsonNode context = container.get("securityContext");
                assertThat(context.get("allowPrivilegeEscalation").asBoolean()).isFalse();
                assertThat(context.get("readOnlyRootFilesystem").asBoolean()).isTrue();
                assertThat(context.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
                assertThat(context.at("/capabilities").has("add")).isFalse();
            }
        }
    }

    /// Only the dashboard uses the API server, to mark busy pods. It may do nothing else there.
    @ParameterizedTest
    @MethodSource("all")
    void onlyTheDashboardHasATokenAndWithItOneRight(String what) throws Exception {
        for (JsonNode deployment : deployments(what)) {
            assertThat(deployment
                            .at("/spec/template/spec/automountServiceAccountToken")
                            .asBoolean(true))
                    .as(id(deployment))
                    .isEqualTo(id(deployment).equals("Deployment/trainyard-dashboard"));
        }
        List<JsonNode> objects = objects(what);
        assertThat(objects)
                .filteredOn(object -> object.get("kind").asText().equals("ServiceAccount"))
                .hasSize(2)
                .noneMatch(
                        account -> account.get("automountServiceAccountToken").asBoolean(true));
        assertThat(objects)
                .filteredOn(object -> object.get("kind").asText().matches("(Cluster)?Role(Binding)?"))
                .extracting(ManifestsTest::id)
                .containsExactlyInAnyOrder("Role/trainyard-marking", "RoleBinding/trainyard-marking");
        assertThat(find(objects, "Role/trainyard-marking").get("rules").toString())
                .isEqualTo("[{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"patch\"]}]");
        assertThat(find(objects, "RoleBinding/trainyard-marking").get("subjects"))
                .singleElement()
                .satisfies(subject -> {
                    assertThat(subject.get("name").asText()).isEqualTo("trainyard-dashboard");
                    assertThat(subject.get("namespace").asText()).isEqualTo("trainyard");
                });
        assertThat(objects)
                .extracting(ManifestsTest::id)
                .contains("ValidatingAdmissionPolicyBinding/trainyard-marking");
    }

    private static JsonNode find(List<JsonNode> objects, String id) {
        return objects.stream()
                .filter(object -> id(object).equals(id))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("all")
    void containersHaveLimitsProbesAndAVersion(String what) throws Exception {
        for (JsonNode deployment : deployments(what)) {
            for (JsonNode container : list(deployment.at("/spec/template/spec/containers"))) {
                assertThat(container.at("/resources/limits/memory").asText())
                        .isNotEmpty()
                        .isEqualTo(container.at("/resources/requests/memory").asText());
                assertThat(container.get("image").asText()).matches("[a-z0-9.-]+/[a-z0-9-]+:[0-9]+\\.[0-9]+\\.[0-9]+");
                Set<String> ports = list(container.get("ports")).stream()
                        .map(port -> port.get("name").asText())
                        .collect(Collectors.toSet());
                for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
                    assertThat(ports)
                            .contains(
                                    container.at("/" + probe + "/httpGet/port").asText());
                    assertThat(container.at("/" + probe + "/httpGet/path").asText())
                            .isIn("/q/health/started", "/q/health/ready", "/q/health/live");
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void whatIsReferredToIsThere(String what) throws Exception {
        List<JsonNode> objects = objects(what);
        Set<String> there = objects.stream().map(ManifestsTest::id).collect(Collectors.toSet());
        there.addAll(MADE_BY_OPERATORS);
        for (JsonNode deployment : deployments(what)) {
            JsonNode pod = deployment.at("/spec/template/spec");
            assertThat(there)
                    .contains("ServiceAccount/" + pod.get("serviceAccountName").asText());
            Set<String> volumes = new HashSet<>();
            for (JsonNode volume : list(pod.get("volumes"))) {
                volumes.add(volume.get("name").asText());
                if (volume.has("configMap")) {
                    assertThat(there)
                            .contains(
                                    "ConfigMap/" + volume.at("/configMap/name").asText());
                }
                if (volume.has("secret")) {
                    assertThat(there)
                            .contains(
                                    "Secret/" + volume.at("/secret/secretName").asText());
                }
                if (volume.has("persistentVolumeClaim")) {
                    assertThat(there)
                            .contains("PersistentVolumeClaim/"
                                    + volume.at("/persistentVolumeClaim/claimName")
                                            .asText());
                }
            }
            for (JsonNode container : list(pod.get("containers"))) {
                assertThat(list(container.get("volumeMounts")))
                        .allMatch(mount -> volumes.contains(mount.get("name").asText()));
                for (JsonNode source : list(container.path("envFrom"))) {
                    if (source.has("configMapRef")) {
                        assertThat(there)
                                .contains("ConfigMap/"
                                        + source.at("/configMapRef/name").asText());
                    } else if (!source.at("/secretRef/optional").asBoolean()) {
                        assertThat(there)
                                .contains(
                                        "Secret/" + source.at("/secretRef/name").asText());
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void everySettingIsOneOfTheProgram(String what) throws Exception {
        Set<String> known = Page.read("docs/reference/settings.md").sections(2).values().stream()
                .flatMap(section -> section.table().stream())
                .map(List::getFirst)
                .map(setting -> setting.replace("`", ""))
                .collect(Collectors.toCollection(HashSet::new));
        known.add("AWS_REGION");
        known.add("TRAINYARD_DASHBOARD_TRACKING_FILE"); // docs/how-to/secure.md
        Set<String> said = new HashSet<>();
        for (JsonNode object : objects(what)) {
            if (id(object).matches("ConfigMap/trainyard-[a-z0-9]{10}")
                    && !object.at("/data/TRAINYARD_KAFKA").isMissingNode()) {
                object.get("data").fieldNames().forEachRemaining(said::add);
            }
        }
        assertThat(said).contains("TRAINYARD_KAFKA");
        for (JsonNode deployment : deployments(what)) {
            for (JsonNode container : list(deployment.at("/spec/template/spec/containers"))) {
                list(container.get("env"))
                        .forEach(env -> said.add(env.get("name").asText()));
            }
        }
        assertThat(known).containsAll(said);
    }

    /// Kubernetes kills pods after the grace period, even during a checkpoint.
    @ParameterizedTest
    @MethodSource("all")
    void aWorkerIsGivenTheTimeThatItTakes(String what) throws Exception {
        for (JsonNode deployment : deployments(what)) {
            JsonNode pod = deployment.at("/spec/template/spec");
            for (JsonNode env : list(pod.at("/containers/0/env"))) {
                if (env.get("name").asText().equals("TRAINYARD_WORKER_GRACE")) {
                    Duration grace = Duration.parse("PT" + env.get("value").asText());
                    assertThat(Duration.ofSeconds(
                                    pod.get("terminationGracePeriodSeconds").asLong()))
                            .isGreaterThanOrEqualTo(grace.plus(AFTER_GRACE));
                }
            }
        }
    }

    /// Selectors of deployments, services, budgets and policies match existing pods.
    @ParameterizedTest
    @MethodSource("all")
    void selectorsMatchPods(String what) throws Exception {
        List<JsonNode> pods = new ArrayList<>();
        deployments(what).forEach(deployment -> pods.add(deployment.at("/spec/template/metadata/labels")));
        for (JsonNode object : objects(what)) {
            JsonNode selector = switch (object.get("kind").asText()) {
                case "Deployment", "PodDisruptionBudget", "PodMonitor" -> object.at("/spec/selector/matchLabels");
                case "Service" -> object.at("/spec/selector");
                case "NetworkPolicy" -> object.at("/spec/podSelector/matchLabels");
                default -> null;
            };
            if (selector != null) {
                assertThat(pods)
                        .as(id(object))
                        .anyMatch(labels -> selector.properties().stream()
                                .allMatch(label -> label.getValue().equals(labels.get(label.getKey()))));
            }
        }
    }

    /// KEDA's address leads to a port of the dashboard, the trigger is valid, and only KEDA may connect.
    @Test
    void kedaAsksWhereTheDashboardAnswers() throws Exception {
        List<JsonNode> objects = objects("components/keda-push");
        JsonNode trigger = find(objects, "ScaledObject/trainyard-worker").at("/spec/triggers/0");
        assertThat(trigger.get("type").asText()).isEqualTo("external-push");
        assertThat(List.of(trigger.at("/metadata/kinds").asText().split(","))).isSubsetOf(Label.KIND.allowed());
        assertThat(trigger.at("/metadata/scalerAddress").asText()).isEqualTo("trainyard-dashboard.trainyard:9500");
        assertThat(find(objects, "Service/trainyard-dashboard").at("/spec/ports"))
                .anyMatch(port -> port.get("port").asInt() == 9500
                        && port.get("targetPort").asText().equals("scaler"));
        JsonNode container = find(objects, "Deployment/trainyard-dashboard").at("/spec/template/spec/containers/0");
        assertThat(container.get("ports"))
                .anyMatch(port -> port.get("name").asText().equals("scaler")
                        && port.get("containerPort").asInt() == 9500);
        assertThat(container.get("env"))
                .anyMatch(env -> env.get("name").asText().equals("TRAINYARD_DASHBOARD_SCALER_PORT")
                        && env.get("value").asText().equals("9500"));
        assertThat(find(objects, "NetworkPolicy/trainyard-scaler")
                        .at("/spec/ingress")
                        .toString())
                .isEqualTo(
                        "[{\"from\":[{\"namespaceSelector\":{\"matchLabels\":{\"kubernetes.io/metadata.name\":\"keda\"}}}],"
                                + "\"ports\":[{\"port\":9500,\"protocol\":\"TCP\"}]}]");
    }

    /// A policy without a source would open the dashboard, which has no password, to every pod of the cluster.
    @ParameterizedTest
    @MethodSource("all")
    void anAdmittedCallerIsNamed(String what) throws Exception {
        assertThat(objects(what))
                .filteredOn(object -> object.get("kind").asText().equals("NetworkPolicy"))
                .isNotEmpty()
                .allSatisfy(policy -> {
                    for (JsonNode rule : list(policy.at("/spec/ingress"))) {
                        assertThat(list(rule.path("from")))
                                .as(id(policy))
                                .isNotEmpty()
                                .allSatisfy(from -> {
                                    JsonNode selector = from.path("namespaceSelector");
                                    assertThat(from.has("podSelector")
                                                    || selector.at("/matchLabels")
                                                            .has("kubernetes.io/metadata.name"))
                                            .as("%s", from)
                                            .isTrue();
                                });
                    }
                });
    }

    /// Makes changes visible: the base and one overlay completely, the other overlays and each component as a
    /// difference. `-Dgolden.write=true` rewrites the files.
    @ParameterizedTest
    @MethodSource("rendered")
    void rendersAsItDid(String what) throws Exception {
        boolean whole = what.equals(BASE) || what.equals(OVERLAY);
        String rendered = whole
                ? text(what)
                : ManifestDifference.of(text(what.startsWith("overlays/") ? OVERLAY : BASE), text(what));
        Path golden = Path.of("src/test/resources/golden/kubernetes", what + (whole ? ".yaml" : ".diff"));
        if (Boolean.getBoolean("golden.write")) {
            Files.createDirectories(golden.getParent());
            Files.writeString(golden, rendered);
        }
        assertThat(rendered).isEqualTo(Files.readString(golden));
    }

    static Stream<String> rendered() throws IOException {
        return Stream.concat(Stream.of(BASE), all());
    }

    /// promtool tests the same rules that the operator gets.
    @Test
    void alertsAreThoseThatAreTested() throws Exception {
        JsonNode tested = YamlFiles.read(Path.of("prometheus/alerts.yml"));
        assertThat(objects("components/monitoring"))
                .filteredOn(object -> object.get("kind").asText().equals("PrometheusRule"))
                .singleElement()
                .satisfies(rule -> assertThat(rule.get("spec")).isEqualTo(tested));
    }
}
