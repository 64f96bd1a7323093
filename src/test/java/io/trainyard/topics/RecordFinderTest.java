package io.trainyard.topics;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.SampleEvents;
import io.trainyard.spec.JobSpec;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

@Slow
class RecordFinderTest {
    private final Cluster kafka =
            new Cluster(TestBroker.brokers(), "record-finder-%s.".formatted(UUID.randomUUID()), Patience.LIMIT);
    private final CommandSender sender = new CommandSender(kafka, CloudEvents.CLI);

    @Test
    void findsRecordsAndSkipsDeletedOnes() {
        List<JobSpec> jobs = IntStream.range(0, 300)
                .mapToObj(i -> SampleEvents.spec("job-" + i))
                .toList();
        sender.send(jobs, Priority.NORMAL, _ -> {});
        sender.send(List.of(SampleEvents.spec("other")), Priority.LOW, _ -> {});
        delete(10);

        List<String> places = List.of(
                place(Topic.COMMANDS_NORMAL, 299),
                place(Topic.COMMANDS_NORMAL, 9),
                place(Topic.COMMANDS_NORMAL, 10),
                place(Topic.COMMANDS_NORMAL, 150),
                place(Topic.COMMANDS_NORMAL, 151),
                place(Topic.COMMANDS_NORMAL, 300),
                place(Topic.COMMANDS_NORMAL, 5000),
                place(Topic.COMMANDS_LOW, 0),
                Topic.COMMANDS_LOW.name(kafka.prefix()) + "-7 at offset x",
                "elsewhere-0 at offset 0");
        assertThat(RecordFinder.find(kafka, places))
                .extracting(TopicRecord::key)
                .containsExactlyInAnyOrder("job-299", "job-10", "job-150", "job-151", "other");
    }

    @Test
    void copiesCommandsUnchanged() {
        sender.send(List.of(SampleEvents.spec("first"), SampleEvents.spec("second")), Priority.LOW, _ -> {});
        List<TopicRecord> found =
                RecordFinder.find(kafka, List.of(place(Topic.COMMANDS_LOW, 0), place(Topic.COMMANDS_LOW, 1)));

        sender.copy(found, Priority.HIGH);

        List<TopicRecord> copies =
                RecordFinder.find(kafka, List.of(place(Topic.COMMANDS_HIGH, 0), place(Topic.COMMANDS_HIGH, 1)));
        assertThat(copies).extracting(TopicRecord::key).containsExactly("first", "second");
        assertThat(copies)
                .extracting(TopicRecord::body)
                .containsExactly(found.get(0).body(), found.get(1).body());
        assertThat(copies.getFirst().entry().headers())
                .isEqualTo(found.getFirst().entry().headers());
    }

    private String place(Topic topic, long offset) {
        return "%s-0 at offset %d".formatted(topic.name(kafka.prefix()), offset);
    }

    private void delete(long before) {
        try (Admin admin = TestBroker.brokers().admin(Patience.LIMIT)) {
            TopicAdmin.await(
                    TestBroker.brokers(),
                    admin.deleteRecords(Map.of(
                                    new TopicPartition(Topic.COMMANDS_NORMAL.name(kafka.prefix()), 0),
                                    RecordsToDelete.beforeOffset(before)))
                            .all(),
                    Patience.LIMIT);
        }
    }
}
