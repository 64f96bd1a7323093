package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.BadCommand;
import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.LaterContract;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Commands that no worker can run; each ends as a dead letter with a useful reason. The last job is valid, to
/// show that the worker continues.
@Slow
class BadCommandTest {
    private final Fleet fleet = new Fleet();

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        fleet.close();
    }

    @Test
    void badCommandsAreDeadLetteredAndTheWorkerContinues() {
        // Commands of this fleet go through channels, and those always have bodies.
        List<BadCommand> bad = BadCommand.all().stream()
                .filter(command -> command.body() != null)
                .toList();
        bad.forEach(command -> fleet.submit(command.name(), Objects.requireNonNull(command.body())));
        String good = """
            {"id": "good", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 6}]},
             "dataset": "shapes64", "epochs": 1, "device": "reference"}""";
        fleet.submit("good", good.getBytes(StandardCharsets.UTF_8));
        fleet.submit("good", good.replace("\"epochs\": 1", "\"epochs\": 2").getBytes(StandardCharsets.UTF_8));

        var _ = fleet.start("w", fleet.trainer(folder, "w"));

        List<ConsumerRecord<byte[], byte[]>> dead =
                fleet.read(Topic.DEAD_LETTER, read -> read.size() >= bad.size() + 1);
        assertThat(dead)
                .extracting(record -> new String(record.key(), StandardCharsets.UTF_8))
                .startsWith(bad.stream().map(BadCommand::name).toArray(String[]::new))
                .hasSize(bad.size() + 1);
        String topic = Topic.COMMANDS_NORMAL.name(fleet.prefix);
        for (int i = 0; i < bad.size(); i++) {
            bad.get(i).assertIsIn(dead.get(i), "w", new BadCommand.Source(topic, i));
        }
        assertThat(Fleet.header(dead.getLast(), DeadLetter.REASON)).contains("good", "another job");
        assertThat(fleet.eventsUntilFinished(1)).extracting(TrainingEvent::job).containsOnly("good");
    }

    /// A worker that understands only the first schema version gets a command of a later one.
    @Test
    void anUnsupportedCommandIsDeadLettered() throws Exception {
        var _ = fleet.start(
                new FleetWorker.Setup("old", Set.of("cpu"), fleet.outbox).understanding(1), fleet.runner("old"));
        RecordHeaders headers = CloudEvents.headers(CloudEvents.COMMAND, "/test");
        CommandHeaders.addSchemaVersion(headers, LaterContract.NUMBER);
        byte[] command =
                JobJson.command(SampleEvents.newer("later")).json().toString().getBytes(StandardCharsets.UTF_8);
        String topic = Topic.COMMANDS_NORMAL.name(fleet.prefix);
        var _ = Patience.get(fleet.outbox.send(topic, "mine".getBytes(StandardCharsets.UTF_8), command, headers));
        var letter = fleet.read(Topic.DEAD_LETTER, read -> !read.isEmpty()).getFirst();
        assertThat(Fleet.header(letter, DeadLetter.REASON))
                .isEqualTo(
                        "the field \"split\" of dataset is not known here; it is in commands since schema version 3, and this is 1. The command was written for schema version 3 of commands, and no live worker supported it for %d heartbeats; start workers of a version that supports it, or remove the newer fields, and submit it again"
                                .formatted(Fleet.NEWER_BEATS));
        assertThat(letter.value()).isEqualTo(command);
        assertThat(letter.key()).asString(StandardCharsets.UTF_8).isEqualTo("mine");
        assertThat(Fleet.header(letter, DeadLetter.SOURCE_TOPIC)).isEqualTo(topic);
        assertThat(Fleet.header(letter, DeadLetter.SOURCE_OFFSET)).isEqualTo("0");
    }
}
