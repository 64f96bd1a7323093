package io.trainyard.topics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.kubernetes.Kustomize;
import io.trainyard.metrics.YamlFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks Strimzi's topics and users against those that the program creates and needs.
class StrimziTest {
    private static final String COMPONENT = "components/strimzi/";

    /// Strimzi creates the topics in place of this role.
    private static final KafkaRole MADE_BY_STRIMZI = KafkaRole.ADMINISTRATOR;

    private static List<JsonNode> objects(String file) throws Exception {
        return YamlFiles.readAll(Files.readString(Kustomize.FOLDER.resolve(COMPONENT + file)));
    }

    @Test
    void topicsMatchTheCode() throws Exception {
        Map<String, JsonNode> topics = objects("topics.yaml").stream()
                .collect(Collectors.toMap(topic -> topic.at("/metadata/name").asText(), topic -> topic));
        assertThat(topics.keySet()).isEqualTo(Topic.byName(Topic.DEFAULT_PREFIX).keySet());
        for (Topic topic : Topic.values()) {
            assertThat(topics).hasEntrySatisfying(topic.name(Topic.DEFAULT_PREFIX), object -> {
                JsonNode spec = object.get("spec");
                topic.partitions()
                        .ifPresent(count ->
                                assertThat(spec.get("partitions").asInt()).isEqualTo(count));
                Map<String, String> settings = new TreeMap<>();
                spec.get("config")
                        .properties()
                        .forEach(setting -> settings.put(
                                setting.getKey(), setting.getValue().asText()));
                assertThat(settings).isEqualTo(topic.settings());
            });
        }
    }

    @Test
    void usersHaveExactlyTheGrantsOfTheirRoles() throws Exception {
        Map<String, Set<String>> allowed = new TreeMap<>();
        for (JsonNode user : objects("users.yaml")) {
            Set<String> may = new TreeSet<>();
            for (JsonNode acl : user.at("/spec/authorization/acls")) {
                JsonNode on = acl.get("resource");
                acl.get("operations")
                        .forEach(operation -> may.add(String.join(
                                " ",
                                on.get("type").asText(),
                                on.get("name").asText(),
                                on.get("patternType").asText(),
                                operation.asText().toUpperCase(Locale.ROOT))));
            }
            allowed.put(user.at("/metadata/name").asText(), may);
        }
        assertThat(allowed)
                .isEqualTo(Arrays.stream(KafkaRole.values())
                        .filter(role -> role != MADE_BY_STRIMZI)
                        .collect(Collectors.toMap(
                                role -> "trainyard-" + role.word(),
                                role -> role.grants().stream()
                                        .map(StrimziTest::asWritten)
                                        .collect(Collectors.toCollection(TreeSet::new)))));
    }

    private static String asWritten(KafkaRole.Grant grant) {
        var resource = grant.resource(Topic.DEFAULT_PREFIX);
        return String.join(
                " ",
                resource.resourceType() == ResourceType.TOPIC ? "topic" : "group",
                resource.name(),
                resource.patternType() == PatternType.PREFIXED ? "prefix" : "literal",
                grant.operation().name().replace("_", ""));
    }

    /// Strimzi's Secrets have `sasl.jaas.config` and the CA certificate of the brokers.
    @Test
    void podsSignInWithTheirSecret(@TempDir Path mounted) throws Exception {
        String signIn =
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"trainyard-worker\" password=\"w0rd\";";
        Files.writeString(Files.createDirectory(mounted.resolve("user")).resolve("sasl.jaas.config"), signIn);
        Files.writeString(Files.createDirectory(mounted.resolve("ca")).resolve("ca.crt"), "");
        String inPods = Files.readString(Kustomize.FOLDER.resolve("base/client.properties"));
        assertThat(inPods).contains("/etc/trainyard/user:", "/etc/trainyard/ca/ca.crt");
        Path file = Files.writeString(
                mounted.resolve("client.properties"), inPods.replace("/etc/trainyard", mounted.toString()));
        assertThat(new AdminClientConfig(new HashMap<>(
                                Brokers.at("b:1", Optional.of(file)).connection()))
                        .originals())
                .containsEntry("sasl.jaas.config", signIn)
                .containsEntry("ssl.truststore.location", mounted + "/ca/ca.crt");
    }
}
