package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Workers of two versions on a real broker; one understands only the first schema version.
@Slow
class NewerCommandsTest {
    private static final int OLD = 1;

    private Fleet fleet;

    @BeforeEach
    void open() {
        fleet = new Fleet();
    }

    @AfterEach
    void close() {
        fleet.close();
    }

    private void submit(String key, String body, int schemaVersion) throws Exception {
        RecordHeaders headers = CloudEvents.headers(CloudEvents.COMMAND, "/test");
        CommandHeaders.addSchemaVersion(headers, schemaVersion);
        var _ = Patience.get(fleet.outbox.send(
                Topic.COMMANDS_NORMAL.name(fleet.prefix),
                key.getBytes(StandardCharsets.UTF_8),
                body.getBytes(StandardCharsets.UTF_8),
                headers));
    }

    private static String newer(String job) {
        return JobJson.command(SampleEvents.newer(job)).json().toString();
    }

    private FleetWorker start(String worker, int schemaVersion, JobRunner runner) {
        return fleet.start(
                new FleetWorker.Setup(worker, Set.of("cpu"), fleet.outbox, Patience.LIMIT, schemaVersion), runner);
    }

    @Test
    void aNewerCommandWaitsWhileOthersRun() throws Exception {
        AtomicBoolean finish = new AtomicBoolean();
        var _ = start("old", OLD, fleet.runner("old"));
        submit("later", newer("later"), 2);
        fleet.submit("now");
        assertThat(fleet.eventsUntilFinished(1)).allMatch(event -> event.job().equals("now"));
        fleet.read(
                Topic.OWNERSHIP,
                read -> read.stream().anyMatch(record -> key(record.key()).startsWith("later/")));

        FleetWorker first = start("new-1", 2, fleet.runner("new-1", finish::get));
        fleet.events(events -> events.stream()
                .anyMatch(event ->
                        event instanceof Claimed claimed && claimed.worker().equals("new-1")));
        first.close(); // its command, for the second attempt, may go to the old worker
        finish.set(true);
        var _ = start("new-2", 2, fleet.runner("new-2"));
        List<TrainingEvent> events = fleet.eventsUntilFinished(2);
        Finished end = events.stream()
                .filter(Finished.class::isInstance)
                .map(Finished.class::cast)
                .filter(finished -> finished.job().equals("later"))
                .findFirst()
                .orElseThrow();
        assertThat(end.attempt()).isEqualTo(2);
        assertThat(events)
                .filteredOn(Claimed.class::isInstance)
                .extracting(event -> ((Claimed) event).worker())
                .containsExactlyInAnyOrder("old", "new-1", "new-2");
        submit("end", "{}", 0);
        assertThat(fleet.read(Topic.DEAD_LETTER, read -> !read.isEmpty()))
                .as("no other dead letter")
                .extracting(record -> key(record.key()))
                .containsExactly("end");
    }

    @Test
    void anUnsupportedCommandIsDeadLettered() throws Exception {
        var _ = start("old", OLD, fleet.runner("old"));
        submit("mine", newer("later"), 2);
        var letter = fleet.read(Topic.DEAD_LETTER, read -> !read.isEmpty()).getFirst();
        assertThat(Fleet.header(letter, DeadLetter.REASON))
                .isEqualTo(
                        "the field \"split\" of dataset is not known here; it is in commands since schema version 2, and this is 1. The command was written for schema version 2 of commands, and no live worker supported it for %d heartbeats; start workers of a version that supports it, or remove the newer fields, and submit it again"
                                .formatted(Fleet.NEWER_BEATS));
        assertThat(new String(letter.value(), StandardCharsets.UTF_8)).isEqualTo(newer("later"));
        assertThat(key(letter.key())).isEqualTo("mine");
        assertThat(Fleet.header(letter, DeadLetter.SOURCE_TOPIC)).isEqualTo(Topic.COMMANDS_NORMAL.name(fleet.prefix));
        assertThat(Fleet.header(letter, DeadLetter.SOURCE_OFFSET)).isEqualTo("0");
    }

    private static String key(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }
}
