package io.trainyard.cli;

import static io.trainyard.event.SampleEvents.json;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.broker.TestBroker;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.TrainingEvent;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.RecordKey;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicRecord;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/// Runs commands against a real broker, with separate topics for each test. The test plays the fleet's worker.
abstract class FleetCommands {
    static final String JOB =
            "{id: %s, network: lenet, dataset: shapes32, epochs: 2, batchSize: 8, reportEverySteps: 5}\n";

    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    final ByteArrayOutputStream err = new ByteArrayOutputStream();
    final KafkaProducer<String, byte[]> worker = new KafkaProducer<>(
            Map.of("bootstrap.servers", TestBroker.address(), "max.in.flight.requests.per.connection", 1),
            new StringSerializer(),
            new ByteArraySerializer());
    private final Queue<Future<RecordMetadata>> sends = new ConcurrentLinkedQueue<>();
    String prefix = "";
    /// Recent, because retention uses the records' own timestamps.
    private long timestampMillis = System.currentTimeMillis() - 60_000;

    @BeforeEach
    void takeTopicsOfItsOwn(TestInfo test) {
        prefix = test.getTestMethod().orElseThrow().getName() + ".";
    }

    @AfterEach
    void close() {
        worker.close();
    }

    void createTopics() {
        TopicAdmin.createMissing(TestBroker.brokers(), prefix, Patience.LIMIT);
    }

    void submit(String id) {
        assertThat(run(JOB.formatted(id), "submit", "-")).isZero();
        out.reset();
        err.reset();
    }

    void publish(TrainingEvent event) {
        send(Topic.of(event), RecordKey.of(event), json(event));
    }

    /// Each record is later than the one before, on any topic.
    void send(Topic topic, String key, byte @Nullable [] value) {
        var sent = worker.send(new ProducerRecord<>(topic.name(prefix), 0, timestampMillis++, key, value));
        sends.add(sent);
    }

    /// Waits until the topics have all records that were sent before.
    void flush() {
        worker.flush();
        for (var sent = sends.poll(); sent != null; sent = sends.poll()) {
            assertThat(sent).succeedsWithin(Patience.LIMIT);
        }
    }

    List<TopicRecord> read(Topic topic) {
        List<TopicRecord> entries = new ArrayList<>();
        try (EventLog log = EventLog.open(new Cluster(TestBroker.brokers(), prefix, Patience.LIMIT), List.of(topic))) {
            log.readToEnd(entries::add);
        }
        return entries;
    }

    int run(String input, String... arguments) {
        return execute(terminal(input), TestBroker.address(), arguments);
    }

    int execute(Terminal terminal, String kafka, String... arguments) {
        flush();
        PlainCommand command = switch (arguments[0]) {
            case "submit" -> new SubmitCommand();
            case "watch" -> new WatchCommand();
            case "jobs" -> new JobsCommand();
            case "top" -> new TopCommand();
            case "sweep" -> new SweepCommand();
            case "events" -> new EventsCommand();
            case "cancel" -> new CancelCommand();
            case "pause" -> new PauseCommand();
            case "resume" -> new ResumeCommand();
            case "reprioritize" -> new ReprioritizeCommand();
            default -> throw new IllegalArgumentException(arguments[0]);
        };
        List<String> options = new ArrayList<>(List.of(arguments).subList(1, arguments.length));
        options.addAll(List.of("--kafka", kafka, "--prefix", prefix));
        if (!options.contains("--kafka-timeout")) {
            options.addAll(List.of("--kafka-timeout", Long.toString(Patience.LIMIT.toSeconds())));
        }
        return TestCommands.commandLine(command, terminal)
                .setErr(new PrintWriter(terminal.err(), true, UTF_8))
                .execute(options.toArray(String[]::new));
    }

    Terminal terminal(String input) {
        return new Terminal(new ByteArrayInputStream(input.getBytes(UTF_8)), print(out), print(err), false);
    }

    static PrintStream print(OutputStream stream) {
        return new PrintStream(stream, true, UTF_8);
    }
}
