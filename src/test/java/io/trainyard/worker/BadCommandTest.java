package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import io.trainyard.training.JobTraining;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Commands nobody can run, each with what a person needs to read about it. The last job is good: the worker goes on.
@Slow
class BadCommandTest {
    private static final int HUNDRED_MEGABYTES = 100_000_000;

    private final Fleet fleet = new Fleet();

    @TempDir
    Path folder;

    private record Bad(String key, byte[] body, String... words) {
        Bad(String key, String body, String... words) {
            this(key, body.getBytes(StandardCharsets.UTF_8), words);
        }
    }

    private static String job(String id, String network, String dataset, String more) {
        return """
            {"id": "%s", "network": %s, "dataset": "%s", "epochs": 1, "device": "reference"%s}""".formatted(id, network, dataset, more);
    }

    private static List<Bad> badCommands() {
        String small = "{\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"linear\", \"out\": 6}]}";
        return List.of(
                new Bad("no-json", "epochs=3", "not JSON"),
                new Bad("empty", "", "empty"),
                new Bad("a-list", "[1]", "[1]", "JSON object"),
                new Bad("deep", "[".repeat(5000), "the command"),
                new Bad("field", job("field", small, "shapes64", ", \"epoch\": 2"), "\"epoch\"", "epochs"),
                new Bad("type", job("type", "{\"layers\": [{\"type\": \"gru\"}]}", "shapes64", ""), "\"gru\""),
                new Bad("network", job("network", "\"resnet\"", "shapes64", ""), "resnet", "lenet"),
                new Bad("shapes", job("shapes", "\"signs\"", "shapes32", ""), "6", "10"),
                new Bad("dataset", job("dataset", small, "imagenet", ""), "imagenet", "cifar10"),
                new Bad("path", job("path", small, "../../etc", ""), "dataset", "../../etc"),
                new Bad("id", job("../evil", small, "shapes64", ""), "../evil"),
                new Bad("epochs", job("epochs", small, "shapes64", "").replace("1,", "0,"), "epochs is 0"),
                new Bad("batch", job("batch", small, "shapes64", ", \"batchSize\": 65536"), "batchSize is 65536"),
                new Bad("huge", hugeLayerList(), Integer.toString(hugeLayerList().length), "1048576"));
    }

    private static byte[] hugeLayerList() {
        String layer = "{\"type\": \"relu\"},";
        return ("{\"id\": \"huge\", \"network\": {\"layers\": [" + layer.repeat(HUNDRED_MEGABYTES / layer.length())
                        + "]}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    @AfterEach
    void close() {
        fleet.close();
    }

    @Test
    void eachEndsAsADeadLetterAndTheWorkerGoesOn() {
        List<Bad> bad = badCommands();
        bad.forEach(command -> fleet.submit(command.key(), command.body()));
        String good = job(
                "good", "{\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"linear\", \"out\": 6}]}", "shapes64", "");
        fleet.submit("good", good.getBytes(StandardCharsets.UTF_8));
        fleet.submit("good", good.replace("\"epochs\": 1", "\"epochs\": 2").getBytes(StandardCharsets.UTF_8));

        CheckpointStore store = CheckpointStore.open(folder.toUri());
        JobTraining training = new JobTraining(folder, DeviceSpec.AUTO, 1, "w");
        fleet.start("w", (job, supervisor) -> training.run(job, new JobFolder(store, job.id()), supervisor));

        List<ConsumerRecord<byte[], byte[]>> dead =
                fleet.read(Topic.DEAD_LETTER, read -> read.size() >= bad.size() + 1);
        assertThat(dead).hasSize(bad.size() + 1);
        assertSoftly(soft -> {
            for (int i = 0; i < bad.size(); i++) {
                soft.assertThat(Fleet.header(dead.get(i), DeadLetter.REASON))
                        .as(bad.get(i).key())
                        .contains(bad.get(i).words())
                        .doesNotContain("Exception", "\n");
            }
        });
        for (int i = 0; i < bad.size(); i++) {
            Bad command = bad.get(i);
            ConsumerRecord<byte[], byte[]> record = dead.get(i);
            assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo(command.key());
            assertThat(Fleet.header(record, DeadLetter.SOURCE_TOPIC))
                    .isEqualTo(Topic.COMMANDS_NORMAL.name(fleet.prefix));
            assertThat(Fleet.header(record, DeadLetter.SOURCE_PARTITION)).isEqualTo("0");
            assertThat(Fleet.header(record, DeadLetter.SOURCE_OFFSET)).isEqualTo(Integer.toString(i));
            assertThat(Fleet.header(record, DeadLetter.WORKER)).isEqualTo("w");
            assertThat(Fleet.header(record, "ce_type")).isEqualTo(CloudEvents.DEAD_COMMAND);
            assertThat(Fleet.header(record, "ce_source")).isEqualTo("/workers/w");
            assertBody(record, command.body());
        }
        assertThat(Fleet.header(dead.getLast(), DeadLetter.REASON)).contains("good", "another job");
        assertThat(fleet.eventsUntilFinished(1)).extracting(TrainingEvent::job).containsOnly("good");
    }

    private static void assertBody(ConsumerRecord<byte[], byte[]> record, byte[] sent) {
        if (sent.length <= DeadLetter.MAX_BODY_BYTES) {
            assertThat(record.value()).isEqualTo(sent);
            assertThat(record.headers().lastHeader(DeadLetter.TRUNCATED_FROM_BYTES))
                    .isNull();
        } else {
            assertThat(record.value())
                    .hasSize(DeadLetter.MAX_BODY_BYTES)
                    .startsWith("{\"id\"".getBytes(StandardCharsets.UTF_8));
            assertThat(Fleet.header(record, DeadLetter.TRUNCATED_FROM_BYTES)).isEqualTo(Integer.toString(sent.length));
        }
    }
}
