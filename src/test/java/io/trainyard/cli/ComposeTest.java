package io.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.metrics.YamlFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Checks compose.yaml as far as possible without Docker: its parts exist and refer to each other.
class ComposeTest {
    private final JsonNode services;

    ComposeTest() throws Exception {
        services = YamlFiles.read(Path.of("compose.yaml")).path("services");
    }

    @Test
    void allIsThere() {
        Set<String> names = new TreeSet<>();
        services.fieldNames().forEachRemaining(names::add);
        assertThat(names)
                .containsExactly("dashboard", "grafana", "kafka", "kafka-exporter", "postgres", "prometheus", "worker");
        assertThat(services).allSatisfy(service -> {
            assertThat(service.path("image").asText())
                    .as("an image of one version")
                    .matches("[a-z./-]+:v?\\d+[\\w.-]*");
            assertThat(service.path("ports"))
                    .allSatisfy(port -> assertThat(port.asText()).startsWith("127.0.0.1:"));
            service.path("depends_on")
                    .fieldNames()
                    .forEachRemaining(needed -> assertThat(names).contains(needed));
        });
    }

    @Test
    void filesThatAreMountedAreThere() {
        List<String> mounts = new ArrayList<>();
        services.forEach(service -> service.path("volumes").forEach(volume -> mounts.add(volume.asText())));
        assertThat(mounts)
                .filteredOn(mount -> mount.startsWith("./") && !mount.startsWith("./target/"))
                .hasSizeGreaterThan(4)
                .allSatisfy(mount ->
                        assertThat(Path.of(mount.replaceFirst(":.*", ""))).exists());
    }

    @Test
    void itsCommandsAreTaken() {
        for (String name : new String[] {"dashboard", "worker"}) {
            List<String> command = new ArrayList<>();
            services.path(name).path("command").forEach(word -> command.add(word.asText()));
            assertThat(command).startsWith(name).noneMatch(word -> word.contains("password"));
            assertThatCode(() -> Trainyard.commandLine().parseArgs(command.toArray(String[]::new)))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void theImageIsBuiltAndRestrictedAsInPods() throws Exception {
        for (String name : new String[] {"dashboard", "worker"}) {
            JsonNode service = services.path(name);
            JsonNode pod =
                    YamlFiles.read(Path.of("k8s/base/%s.yaml".formatted(name))).at("/spec/template/spec/containers/0");
            assertThat(Path.of(service.at("/build/dockerfile").asText())).exists();
            assertThat(service.path("user").asText()).isEqualTo("10001:10001");
            assertThat(service.path("read_only").asBoolean()).isTrue();
            assertThat(service.path("cap_drop")).extracting(JsonNode::asText).containsExactly("ALL");
            assertThat(service.path("security_opt"))
                    .extracting(JsonNode::asText)
                    .containsExactly("no-new-privileges:true");
            assertThat(pod.at("/resources/limits/memory").asText())
                    .isEqualToIgnoringCase(service.path("mem_limit").asText() + "i");
            assertThat(pod.path("env"))
                    .filteredOn(env -> env.path("name").asText().equals("JDK_JAVA_OPTIONS"))
                    .extracting(env -> env.path("value").asText())
                    .containsExactly(service.at("/environment/JDK_JAVA_OPTIONS").asText());
        }
    }

    @Test
    void prometheusAndGrafanaAskServicesThatThereAre() throws Exception {
        List<String> asked = new ArrayList<>();
        YamlFiles.read(Path.of("prometheus/prometheus.yml"))
                .findValues("targets")
                .forEach(targets -> targets.forEach(target -> asked.add(target.asText())));
        YamlFiles.read(Path.of("grafana/provisioning/datasources/trainyard.yaml"))
                .findValuesAsText("url")
                .forEach(url -> asked.add(url.replaceFirst("^http://", "")));
        assertThat(asked)
                .containsExactly(
                        "dashboard:8080", "worker:9400", "kafka-exporter:9308", "prometheus:9090", "postgres:5432")
                .allSatisfy(one ->
                        assertThat(services.has(one.replaceFirst(":.*", ""))).isTrue());
        assertThat(services.at("/worker/environment/TRAINYARD_WORKER_METRICS_PORT")
                        .asInt())
                .isEqualTo(9400);
    }
}
