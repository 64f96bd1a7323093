package io.trainyard.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.openshift.api.model.monitoring.v1.PodMonitor;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.strimzi.api.kafka.model.kafka.Kafka;
import io.strimzi.api.kafka.model.nodepool.KafkaNodePool;
import io.strimzi.api.kafka.model.topic.KafkaTopic;
import io.strimzi.api.kafka.model.user.KafkaUser;
import java.lang.reflect.InvocationTargetException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Validates cluster objects. Kubernetes' own kinds are checked by its Java client, which is generated from the
/// API's schema; operators' kinds by their own models or fabric8's. Unknown fields are refused.
final class KubernetesSchemas {
    private static final String MODELS = "io.kubernetes.client.openapi.models.";

    private static final Map<String, Class<?>> OPERATORS = Map.of(
            "kafka.strimzi.io/v1 Kafka", Kafka.class,
            "kafka.strimzi.io/v1 KafkaNodePool", KafkaNodePool.class,
            "kafka.strimzi.io/v1 KafkaTopic", KafkaTopic.class,
            "kafka.strimzi.io/v1 KafkaUser", KafkaUser.class,
            "monitoring.coreos.com/v1 PodMonitor", PodMonitor.class,
            "monitoring.coreos.com/v1 PrometheusRule", PrometheusRule.class,
            "gateway.networking.k8s.io/v1 HTTPRoute", HTTPRoute.class);

    /// Kinds without published Java models; they were compared with their operators' documentation by hand.
    private static final Set<String> UNCHECKED =
            Set.of("keda.sh/v1alpha1 ScaledObject", "postgresql.cnpg.io/v1 Cluster");

    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private KubernetesSchemas() {}

    static void require(JsonNode object) throws Exception {
        String version = object.get("apiVersion").asText();
        String kind = object.get("kind").asText();
        String name = version + " " + kind;
        Class<?> operators = OPERATORS.get(name);
        if (operators != null) {
            requireKnown(object, STRICT.treeToValue(object, operators));
        } else if (!UNCHECKED.contains(name)) {
            requireOfKubernetes(object, version, kind);
        }
    }

    /// Such models retain unknown fields, and known fields that are absent become null or empty.
    private static void requireKnown(JsonNode said, Object read) throws Exception {
        assertThat(Unknown.in(read))
                .as("fields of %s that it does not have", said.get("kind"))
                .isEmpty();
    }

    private static void requireOfKubernetes(JsonNode object, String version, String kind) throws Exception {
        String number = version.substring(version.indexOf('/') + 1);
        Class<?> model =
                Class.forName(MODELS + number.substring(0, 1).toUpperCase(Locale.ROOT) + number.substring(1) + kind);
        try {
            model.getMethod("validateJsonElement", JsonElement.class)
                    .invoke(null, JsonParser.parseString(object.toString()));
        } catch (InvocationTargetException e) {
            throw new AssertionError("%s %s".formatted(kind, object.at("/metadata/name")), e.getCause());
        }
    }
}
