package io.trainyard.cli;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.whole;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.broker.TestBroker;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicRecord;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import picocli.CommandLine;

/// The commands against a real broker; the test is the fleet's worker.
class FleetCommandsTest {
    private static final String JOB =
            "{id: %s, network: lenet, dataset: shapes32, epochs: 2, batchSize: 8, reportEverySteps: 5}\n";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final KafkaProducer<String, byte[]> worker = new KafkaProducer<>(
            Map.of("bootstrap.servers", TestBroker.address(), "max.in.flight.requests.per.connection", 1),
            new StringSerializer(),
            new ByteArraySerializer());
    private final Queue<Future<RecordMetadata>> sends = new ConcurrentLinkedQueue<>();
    private String prefix = "";
    /// Not long ago: retention goes by the records' own timestamps.
    private long timestampMillis = System.currentTimeMillis() - 60_000;

    @BeforeEach
    void takeTopicsOfItsOwn(TestInfo test) {
        prefix = test.getTestMethod().orElseThrow().getName() + ".";
    }

    @AfterEach
    void close() {
        worker.close();
    }

    @Test
    void submitMakesTheTopicsAndPrintsTheIds() {
        assertThat(run("---\n" + JOB.formatted("a") + "---\n" + JOB.formatted("b"), "submit", "-"))
                .isZero();
        assertThat(out.toString(UTF_8)).isEqualTo("a\nb\n".replace("\n", System.lineSeparator()));
        List<TopicRecord> commands = read(Topic.COMMANDS_NORMAL);
        assertThat(commands).extracting(TopicRecord::key).containsExactlyInAnyOrder("a", "b");
        assertThat(commands)
                .extracting(entry -> JobJson.read(entry.body()).id())
                .containsExactlyInAnyOrder("a", "b");
        assertThat(TopicAdmin.open(TestBroker.address(), Patience.LIMIT)
                        .listTopics()
                        .names())
                .succeedsWithin(Patience.LIMIT)
                .satisfies(names -> assertThat(names)
                        .containsAll(Arrays.stream(Topic.values())
                                .map(topic -> topic.name(prefix))
                                .toList()));
    }

    @Test
    void submitSendsToTheTopicOfThePriority() {
        assertThat(run(JOB.formatted("a"), "submit", "-", "--priority", "high")).isZero();
        assertThat(run(JOB.formatted("b"), "submit", "-", "--priority", "low")).isZero();
        assertThat(run(JOB.formatted("c"), "submit", "-", "--priority", "urgent"))
                .isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(read(Topic.COMMANDS_HIGH)).extracting(TopicRecord::key).containsExactly("a");
        assertThat(read(Topic.COMMANDS_NORMAL)).isEmpty();
        assertThat(read(Topic.COMMANDS_LOW)).extracting(TopicRecord::key).containsExactly("b");
    }

    @Test
    void submitSendsToTheTopicOfTheDevice() {
        String device = JOB.replace("}", ", device: %s}");
        String devices = JOB.replace("}", ", devices: %s}");
        assertThat(run(
                        "---\n" + device.formatted("anyone", "auto") + "---\n"
                                + device.formatted("reference", "reference")
                                + "---\n" + device.formatted("cpu", "cpu") + "---\n" + device.formatted("gpu", "cuda")
                                + "---\n" + device.formatted("gpu-1", "'cuda:1'")
                                + "---\n" + devices.formatted("gpus", "['cuda:0', 'cuda:1']"),
                        "submit",
                        "-"))
                .isZero();
        assertThat(read(Topic.COMMANDS_NORMAL)).extracting(TopicRecord::key).containsExactly("anyone", "reference");
        assertThat(read(Topic.CPU_COMMANDS_NORMAL)).extracting(TopicRecord::key).containsExactly("cpu");
        assertThat(read(Topic.CUDA_COMMANDS_NORMAL))
                .extracting(TopicRecord::key)
                .containsExactly("gpu", "gpu-1", "gpus");
        assertThat(run("", "jobs")).isZero();
        assertThat(out.toString(UTF_8)).containsPattern("gpus +WAITING");
    }

    @Test
    void submitSendsNothingIfOneJobIsBad() {
        assertThat(run(
                        JOB.formatted("a") + "---\n" + JOB.formatted("b").replace("epochs: 2", "epochs: 0"),
                        "submit",
                        "-"))
                .isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(err.toString(UTF_8)).startsWith("standard input, job 2 (\"b\"): epochs is 0");
        assertThat(out.toString(UTF_8)).isEmpty();
        assertThat(read(Topic.COMMANDS_NORMAL)).isEmpty();
    }

    @Test
    void submitAndWatchFollowsTheJobToItsEnd() throws Exception {
        CompletableFuture<Integer> command =
                CompletableFuture.supplyAsync(() -> run(JOB.formatted("a"), "submit", "-", "--watch"));
        Patience.await("the command to watch")
                .until(() -> out.toString(UTF_8).contains("job a is waiting for a worker"));
        for (TrainingEvent event : whole("a")) {
            publish(event);
            String line = switch (event) {
                case Started _ -> "job a started on cpu";
                case StepLosses losses -> "step %d/20 loss ".formatted(losses.lastStep());
                default -> "";
            };
            Patience.await(line).until(() -> out.toString(UTF_8).contains(line)); // topics do not wait for one another
        }
        assertThat(Patience.get(command)).isZero();
        assertThat(out.toString(UTF_8)).contains("job a epoch 1 step 20/20 loss 1.0000", "job a finished: 20 steps");
    }

    @Test
    void watchSaysWhyAJobFailed() {
        submit("a");
        publish(claimed("a"));
        publish(failed("a", 1, "the data set is not there"));
        assertThat(run("", "watch", "a")).isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString(UTF_8)).contains("job a failed: the data set is not there");
    }

    @Test
    void watchSaysWhyACommandWasRejected() throws Exception {
        submit("a");
        CompletableFuture<Integer> command = CompletableFuture.supplyAsync(() -> run("", "watch", "a"));
        Patience.await("the command to watch")
                .until(() -> out.toString(UTF_8).contains("job a is waiting for a worker"));
        RecordHeaders headers = new RecordHeaders();
        headers.add(DeadLetter.REASON, "no such data set here".getBytes(UTF_8));
        worker.send(new ProducerRecord<>(Topic.DEAD_LETTER.name(prefix), null, "a", "{".getBytes(UTF_8), headers))
                .get();
        assertThat(Patience.get(command)).isEqualTo(ExitCodes.FAILED);
        assertThat(out.toString(UTF_8)).contains("job a was rejected: no such data set here");
    }

    @Test
    void aJobThatRanWithAnotherSpecIsNotMistakenForTheOneSubmitted() {
        submit("a");
        whole("a").forEach(this::publish);
        assertThat(run(JOB.formatted("a"), "submit", "-", "--watch")).isZero();
        assertThat(run(JOB.formatted("a").replace("epochs: 2", "epochs: 3"), "submit", "-", "--watch"))
                .isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString(UTF_8)).contains("job a: another job has this id");
    }

    @Test
    void watchKnowsSimilarNamesOfAJobThatIsNotThere() {
        submit("tudui-1");
        submit("else");
        assertThat(run("", "watch", "tudui-2")).isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString(UTF_8))
                .contains("there is no job tudui-2: nothing was submitted under that id, but there is tudui-1;");
    }

    @Test
    void jobsListsWhatRanAndWhatWaits() {
        assertThat(run("", "jobs")).isZero();
        assertThat(err.toString(UTF_8)).contains("there are no jobs");
        submit("a");
        submit("b");
        whole("a").forEach(this::publish);
        assertThat(run("", "jobs")).isZero();
        assertThat(out.toString(UTF_8).lines().skip(1).sorted())
                .satisfiesExactly(
                        row -> assertThat(row).startsWith("a    FINISHED"),
                        row -> assertThat(row).startsWith("b    WAITING"));
        out.reset();
        assertThat(run("", "jobs", "--json")).isZero();
        assertThat(out.toString(UTF_8))
                .contains(
                        "\"status\":\"FINISHED\"",
                        "\"status\":\"WAITING\"",
                        "\"testAccuracy\":0.75",
                        "\"network\":\"lenet\"");
    }

    @Test
    void eventsAreTheTopicsBytesMergedByTime() {
        createTopics();
        String odd = "{\"type\":\"claimed\" , \"job\":\"a\",\"later\":1}";
        send(Topic.JOBS, "a", odd.getBytes(UTF_8));
        List<TrainingEvent> events = new ArrayList<>(whole("a"));
        events.forEach(this::publish);
        send(Topic.JOBS, "a", "no JSON".getBytes(UTF_8));
        send(Topic.JOBS, "a", null);
        publish(claimed("b"));
        assertThat(run("", "events", "--job", "a")).isZero();
        List<String> lines = new ArrayList<>(List.of(odd));
        events.forEach(event -> lines.add(new String(EventJson.write(event), UTF_8)));
        assertThat(out.toString(UTF_8).lines()).containsExactlyElementsOf(lines);
        assertThat(err.toString(UTF_8))
                .contains("skipped the record in " + prefix + "jobs-")
                .doesNotContain("Exception");
    }

    @Test
    void eventsOfManyRecordsStayInOrder() {
        createTopics();
        int each = 3 * EventLog.MAX_RECORDS;
        for (int i = 0; i < each; i++) {
            send(Topic.STEPS, "a", "{\"n\":%d}".formatted(2 * i).getBytes(UTF_8));
            send(Topic.ACCURACY, "a", "{\"n\":%d}".formatted(2 * i + 1).getBytes(UTF_8));
        }
        assertThat(run("", "events")).isZero();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 2 * each; i++) {
            expected.add("{\"n\":%d}".formatted(i));
        }
        assertThat(out.toString(UTF_8).lines().toList()).isEqualTo(expected);
    }

    @Test
    void eventsEndQuietlyWhenNobodyReads() {
        createTopics();
        whole("a").forEach(this::publish);
        PrintStream broken = new PrintStream(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        });
        Terminal terminal = new Terminal(new ByteArrayInputStream(new byte[0]), broken, print(err), false);
        assertThat(execute(terminal, TestBroker.address(), "events", "--follow"))
                .isZero();
        assertThat(err.toString(UTF_8)).isEmpty();
    }

    @Test
    void anAddressWhereNothingAnswersIsASentence() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        assertThat(execute(terminal(""), "localhost:" + port, "jobs", "--kafka-timeout", "1"))
                .isEqualTo(ExitCodes.KAFKA_UNREACHABLE);
        assertThat(execute(terminal(""), "no-such-host.invalid:9092", "jobs")).isEqualTo(ExitCodes.KAFKA_UNREACHABLE);
        assertThat(err.toString(UTF_8).lines())
                .hasSize(2)
                .allMatch(line -> line.matches(
                        "Kafka at \\S+ does not answer: .*is the address right \\(--kafka HOST:PORT\\)\\?"));
        assertThat(execute(terminal(""), "nonsense", "jobs")).isEqualTo(ExitCodes.BAD_INPUT);
    }

    private void createTopics() {
        TopicAdmin.createMissing(TestBroker.address(), prefix, Patience.LIMIT);
    }

    private void submit(String id) {
        assertThat(run(JOB.formatted(id), "submit", "-")).isZero();
        out.reset();
        err.reset();
    }

    private void publish(TrainingEvent event) {
        send(Topic.of(event), event.job(), EventJson.write(event));
    }

    /// Each record is later than the one before, whatever its topic.
    private void send(Topic topic, String key, byte @Nullable [] value) {
        var sent = worker.send(new ProducerRecord<>(topic.name(prefix), 0, timestampMillis++, key, value));
        sends.add(sent);
    }

    /// What is published before this is on the topics after it.
    private void flush() {
        worker.flush();
        for (var sent = sends.poll(); sent != null; sent = sends.poll()) {
            assertThat(sent).succeedsWithin(Patience.LIMIT);
        }
    }

    private List<TopicRecord> read(Topic topic) {
        List<TopicRecord> entries = new ArrayList<>();
        try (EventLog log = EventLog.open(new Cluster(TestBroker.address(), prefix, Patience.LIMIT), List.of(topic))) {
            log.readToEnd(entries::add);
        }
        return entries;
    }

    private int run(String input, String... arguments) {
        return execute(terminal(input), TestBroker.address(), arguments);
    }

    private int execute(Terminal terminal, String kafka, String... arguments) {
        flush();
        Object command = switch (arguments[0]) {
            case "submit" -> new SubmitCommand(terminal);
            case "watch" -> new WatchCommand(terminal);
            case "jobs" -> new JobsCommand(terminal);
            case "events" -> new EventsCommand(terminal);
            default -> throw new IllegalArgumentException(arguments[0]);
        };
        List<String> options = new ArrayList<>(List.of(arguments).subList(1, arguments.length));
        options.addAll(List.of("--kafka", kafka, "--prefix", prefix));
        if (!options.contains("--kafka-timeout")) {
            options.addAll(List.of("--kafka-timeout", Long.toString(Patience.LIMIT.toSeconds())));
        }
        return new CommandLine(command)
                .setErr(new PrintWriter(terminal.err(), true, UTF_8))
                .setExecutionExceptionHandler(new FailureMessages())
                .execute(options.toArray(String[]::new));
    }

    private Terminal terminal(String input) {
        return new Terminal(new ByteArrayInputStream(input.getBytes(UTF_8)), print(out), print(err), false);
    }

    private static PrintStream print(OutputStream stream) {
        return new PrintStream(stream, true, UTF_8);
    }
}
