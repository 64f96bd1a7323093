package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.broker.TestBroker;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.TrackingStore;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

/// The dashboard's reader and its store with a real broker, on which anyone can write.
@Slow
class PoisonedTopicsTest {
    private final String url = Databases.SQLITE.empty();

    /// The reading part of a dashboard, as in one process.
    private static final class Reader implements AutoCloseable {
        final TrackingStore store;
        final SourceStatus sources = new SourceStatus();
        final JobHistory history;
        final SimpleMeterRegistry registry = new SimpleMeterRegistry();
        final TopicConsumer consumer;

        Reader(String url, String prefix) {
            store = TrackingStore.open(url);
            history = new JobHistory(store, sources, new JobHistory.Limits(10, 10, 10_000, 60_000));
            consumer = new TopicConsumer(
                    store,
                    history,
                    sources,
                    new FleetCounters(registry),
                    new AlertWatch(store, sources, AlertsWanted.NONE, Patience.LIMIT),
                    TestBroker.brokers(),
                    prefix);
            consumer.start();
        }

        void awaitJob(String job) {
            Patience.await(job).until(() -> history.job(job).isPresent());
        }

        @Override
        public void close() throws Exception {
            consumer.close();
            store.close();
        }
    }

    /// Each value has two bytes here, and four when it is written again.
    static String longCommand(String id) {
        int channels = 260_000;
        return """
                {"id": "%s", "network": "lenet", "epochs": 1,
                 "dataset": {"name": "mnist", "normalize": {"mean": [%s], "std": [%s]}}}""".formatted(id, "0,".repeat(channels - 1) + 0, "1,".repeat(channels - 1) + 1);
    }

    @Test
    void aTopicThatIsCreatedAgainIsReadFromItsBeginning() throws Exception {
        String prefix = "again.";
        TopicAdmin.createMissing(TestBroker.brokers(), prefix, Patience.LIMIT);
        try (EventPublisher publisher = new EventPublisher(TestBroker.address(), prefix);
                Reader reader = new Reader(url, prefix);
                Admin admin = TestBroker.brokers().admin(Patience.LIMIT)) {
            for (int i = 0; i < 20; i++) {
                publisher.send(spec("first" + i));
            }
            reader.awaitJob("first19");
            String topic = Topic.COMMANDS_NORMAL.name(prefix);
            TopicAdmin.await(
                    TestBroker.brokers(), admin.deleteTopics(List.of(topic)).all(), Patience.LIMIT);
            Patience.await("the topic is gone")
                    .until(() -> !Patience.get(admin.listTopics().names()).contains(topic));
            Patience.await("it is there again").ignoreExceptions().untilAsserted(() -> {
                TopicAdmin.createMissing(TestBroker.brokers(), prefix, Patience.LIMIT);
                assertThat(Patience.get(admin.listTopics().names())).contains(topic);
            });
            for (int i = 0; i < 30; i++) { // beyond the old topic's end
                publisher.send(spec("second" + i));
            }
            reader.awaitJob("second29");
            reader.awaitJob("second0");
        }
    }
}
