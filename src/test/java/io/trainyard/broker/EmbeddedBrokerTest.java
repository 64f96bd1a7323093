package io.trainyard.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedBrokerTest {
    @TempDir
    Path folder;

    @Test
    void hasTheTopicsAndKeepsItsRecordsOverARestart() throws Exception {
        Path directory = folder.resolve("new/kafka");
        String topic = Topic.JOBS.name("t.");
        try (EmbeddedBroker broker = EmbeddedBroker.start(directory, 0, "t.")) {
            assertThat(broker.port()).isPositive();
            assertThat(topics(broker))
                    .containsAll(
                            Arrays.stream(Topic.values()).map(t -> t.name("t.")).toList());
            try (var producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", broker.address()), new StringSerializer(), new StringSerializer())) {
                var _ = Patience.get(producer.send(new ProducerRecord<>(topic, "job", "kept")));
            }
        }
        try (EmbeddedBroker again = EmbeddedBroker.start(directory, 0, "t.");
                var consumer = new KafkaConsumer<>(
                        Map.of("bootstrap.servers", again.address()),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            assertThat(consumer.poll(Patience.LIMIT))
                    .singleElement()
                    .satisfies(record -> assertThat(record.value()).isEqualTo("kept"));
        }
    }

    @Test
    void reportsThePortInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getByName("localhost"), 0));
            assertThatThrownBy(() -> EmbeddedBroker.start(folder.resolve("kafka"), taken.getLocalPort(), "t."))
                    .isInstanceOf(BrokerException.class)
                    .hasMessageContainingAll(Integer.toString(taken.getLocalPort()), "--port");
        }
        assertThat(folder.resolve("kafka")).as("nothing was begun").doesNotExist();
    }

    @Test
    void refusesAnInvalidPort() {
        assertThatThrownBy(() -> EmbeddedBroker.start(folder, 70_000, "t."))
                .isInstanceOf(BrokerException.class)
                .hasMessageContainingAll("70000", "65535");
    }

    @Test
    void refusesADirectoryOfARunningBroker() {
        try (EmbeddedBroker running = EmbeddedBroker.start(folder.resolve("kafka"), 0, "t.")) {
            assertThatThrownBy(() -> EmbeddedBroker.start(running.directory(), 0, "t."))
                    .isInstanceOf(BrokerException.class)
                    .hasMessageContainingAll(running.directory().toString(), "running", "--dir");
        }
    }

    @Test
    void refusesADirectoryWithOtherThings() throws IOException {
        Files.writeString(folder.resolve("thesis.txt"), "mine");
        assertThatThrownBy(() -> EmbeddedBroker.start(folder, 0, "t."))
                .isInstanceOf(BrokerException.class)
                .hasMessageContainingAll(folder.toString(), "other things", "--dir");
        assertThat(folder).isDirectoryNotContaining("glob:**meta.properties");
    }

    @Test
    void refusesAFileForADirectory() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> EmbeddedBroker.start(file, 0, "t."))
                .isInstanceOf(BrokerException.class)
                .hasMessageContainingAll(file.toString(), "--dir");
    }

    @Test
    void reportsADamagedDirectory() throws IOException {
        Files.writeString(folder.resolve("meta.properties"), "version=1\nnode.id=seven\n");
        assertThatThrownBy(() -> EmbeddedBroker.start(folder, 0, "t."))
                .isInstanceOf(BrokerException.class)
                .hasMessageContainingAll(folder.toString(), "--dir");
        assertThatThrownBy(() -> EmbeddedBroker.start(folder, 0, "t."))
                .as("the lock was given back")
                .hasMessageNotContaining("running");
    }

    private static Set<String> topics(EmbeddedBroker broker) {
        try (Admin admin = Brokers.at(broker.address()).admin(Patience.LIMIT)) {
            return TopicAdmin.await(
                    Brokers.at(broker.address()), admin.listTopics().names(), Patience.LIMIT);
        }
    }
}
