package io.trainyard.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.trainyard.Slow;
import io.trainyard.metrics.YamlFiles;
import io.trainyard.topics.KafkaRole;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicSettings;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;

/// The AsyncAPI document is valid.
class AsyncApiTest {
    private static final Path DOCUMENT = Message.FOLDER.resolve("asyncapi.yaml");

    /// A cached download.
    private static final Path KEPT = Path.of("target/asyncapi-3.0.0.json");

    /// The package with AsyncAPI's own schemas, which is on npm only.
    private static final String PACKAGE = "https://registry.npmjs.org/@asyncapi/specs/-/specs-6.11.1.tgz";

    private static final String SHA512 = "0375812ea00a1a8276fba15616da63065090d6814272ce06c45ef3b081af36aa"
            + "7f9251941e3940dda01c67d5cc3292c613cccf7980f3db1f4598ee834ae2ab69";

    private static final String IN_PACKAGE = "package/schemas/3.0.0.json";
    private static final int BLOCK = 512;

    /// Skipped without access to npm: [#everyReferenceLeadsSomewhere] and the document's golden file do not
    /// need it.
    @Slow
    @Test
    void isValidByAsyncApisOwnSchema() throws Exception {
        Optional<String> schema = schema();
        assumeTrue(schema.isPresent(), "AsyncAPI's schema cannot be fetched: " + PACKAGE);
        assertThat(SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
                        .getSchema(schema.get())
                        .validate(YamlFiles.read(DOCUMENT).toString(), InputFormat.JSON))
                .isEmpty();
    }

    @Test
    void everyReferenceLeadsSomewhere() throws IOException {
        JsonNode document = YamlFiles.read(DOCUMENT);
        assertThat(document.findValuesAsText("$ref")).hasSizeGreaterThan(100).allSatisfy(reference -> {
            if (reference.startsWith("#")) {
                assertThat(document.at(reference.substring(1)).isObject()).isTrue();
            } else {
                assertThat(Message.FOLDER.resolve(reference)).isRegularFile();
            }
        });
    }

    @Test
    void channelsHaveTheTopicsSettingsAndOperationsMatchAWorkersAcls() throws IOException {
        assertThat(Files.readString(Path.of("pom.xml")))
                .contains("<version>%s</version>"
                        .formatted(Message.DOCUMENT.at("/info/version").asText()));
        assertThat(Message.DOCUMENT.path("channels")).hasSameSizeAs(Topic.values());
        for (Topic topic : Topic.values()) {
            String channel = Message.channel(topic);
            JsonNode kafka = Message.DOCUMENT.at("/channels/%s/bindings/kafka".formatted(channel));
            Map<String, String> settings = new TreeMap<>();
            kafka.path("topicConfiguration")
                    .properties()
                    .forEach(setting -> settings.put(
                            setting.getKey(),
                            setting.getValue().isArray()
                                    ? setting.getValue().path(0).asText()
                                    : setting.getValue().asText()));
            assertThat(settings).as(channel).isEqualTo(TopicSettings.of(topic));
            assertThat(kafka.path("partitions").asInt())
                    .as(channel)
                    .isEqualTo(TopicSettings.partitions(topic).orElse(0));
            assertThat(Message.DOCUMENT.path("operations").has("receive-" + channel))
                    .as(channel)
                    .isEqualTo(mayWorker(AclOperation.READ, topic));
            assertThat(Message.DOCUMENT.path("operations").has("send-" + channel))
                    .as(channel)
                    .isEqualTo(mayWorker(AclOperation.WRITE, topic));
        }
    }

    private static boolean mayWorker(AclOperation operation, Topic topic) {
        return KafkaRole.WORKER.grants().stream()
                .filter(grant -> grant.type() == ResourceType.TOPIC && grant.operation() == operation)
                .anyMatch(grant -> grant.pattern() == PatternType.LITERAL
                        ? grant.name().equals(topic.name(""))
                        : topic.name("").startsWith(grant.name()));
    }

    private static Optional<String> schema() throws Exception {
        if (Files.exists(KEPT)) {
            return Optional.of(Files.readString(KEPT));
        }
        Optional<byte[]> fetched = fetched();
        if (fetched.isEmpty()) {
            return Optional.empty();
        }
        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(fetched.get())))
                .isEqualTo(SHA512);
        String schema = unpacked(fetched.get());
        Files.writeString(KEPT, schema);
        return Optional.of(schema);
    }

    private static Optional<byte[]> fetched() throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(PACKAGE))
                .timeout(Duration.ofSeconds(60))
                .build();
        try (HttpClient client =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build()) {
            HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    /// Reads a tar: each file has a header block with its name and octal size, followed by its content in whole
    /// blocks.
    private static String unpacked(byte[] tgz) throws IOException {
        try (DataInputStream tar = new DataInputStream(new GZIPInputStream(new ByteArrayInputStream(tgz)))) {
            while (true) {
                String head = new String(tar.readNBytes(BLOCK), StandardCharsets.ISO_8859_1);
                assertThat(head)
                        .as("%s in %s", IN_PACKAGE, PACKAGE)
                        .hasSize(BLOCK)
                        .doesNotStartWith("\0");
                int size = Integer.parseInt(head.substring(124, 135).strip(), 8);
                byte[] file = tar.readNBytes(size);
                tar.skipNBytes(Math.floorMod(-size, BLOCK));
                if (head.startsWith(IN_PACKAGE + "\0")) {
                    return new String(file, StandardCharsets.UTF_8);
                }
            }
        }
    }
}
