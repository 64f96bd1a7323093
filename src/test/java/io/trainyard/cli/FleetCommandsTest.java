package io.trainyard.cli;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.json;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.whole;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Ports;
import io.trainyard.Slow;
import io.trainyard.broker.TestBroker;
import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.io.ByteArrayInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands against a real broker.
@Slow
class FleetCommandsTest extends FleetCommands {
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
        assertThat(TestBroker.brokers().admin(Patience.LIMIT).listTopics().names())
                .succeedsWithin(Patience.LIMIT)
                .satisfies(names -> assertThat(names)
                        .containsAll(Arrays.stream(Topic.values())
                                .map(topic -> topic.name(prefix))
                                .toList()));
    }

    @Test
    void submitPrintsTheForecastOfEachJob() {
        assertThat(run(JOB.formatted("a"), "submit", "-")).isZero();
        assertThat(err.toString(UTF_8)).contains("a waits: place 1, there is no worker");
        out.reset();
        assertThat(run(JOB.formatted("b"), "submit", "-", "--json")).isZero();
        assertThat(out.toString(UTF_8).strip())
                .isEqualTo("{\"job\":\"b\",\"state\":\"queued\",\"forecast\":{\"place\":2,\"reason\":\"noWorker\","
                        + "\"sentence\":\"there is no worker\",\"start\":null}}");
        String many = IntStream.range(0, 20)
                .mapToObj(i -> "---\n" + JOB.formatted("many-" + i))
                .collect(Collectors.joining());
        createTopics();
        heartbeat("w1", "x");
        assertThat(run(many, "submit", "-")).isZero();
        assertThat(err.toString(UTF_8))
                .contains("20 of 20 jobs wait, at places 3 to 22: the one worker is busy; the first begins in ");
        assertThat(run("", "jobs", "--state", "queued")).isZero();
        assertThat(out.toString(UTF_8)).contains("PLACE  BEGINS IN (90 %)").contains("the one worker is busy");
        assertThat(run("", "jobs", "--json", "--text", "many-3")).isZero();
        assertThat(out.toString(UTF_8)).contains("\"forecast\":{\"place\":6,\"reason\":\"allBusy\"");
    }

    @Test
    void topPrintsTheFleetOnceWithoutATerminal() {
        submit("a");
        submit("b");
        createTopics();
        publish(claimed("a"));
        publish(started("a", 1, 1));
        publish(losses("a", 1, 0, 1, 5));
        heartbeat("w1", "a");
        assertThat(run("", "top")).isZero();
        assertThat(out.toString(UTF_8).lines().toList())
                .satisfiesExactly(
                        line -> assertThat(line).contains("1 workers, 1 busy; jobs: 1 queued, 1 running; "),
                        line -> assertThat(line).isEmpty(),
                        line -> assertThat(line).startsWith("WORKER  DEVICE  SLOTS  IMAGES/S  READINGS  JOBS"),
                        line -> assertThat(line).matches("w1 +cpu +1/1 +- +- +a"),
                        line -> assertThat(line).isEmpty(),
                        line -> assertThat(line).startsWith("JOB  WORKER  DEVICE"),
                        line -> assertThat(line).matches("a +w1 +cpu +5/20 +25 % +2\\.5000 +80 +0:02"),
                        line -> assertThat(line).isEmpty(),
                        line -> assertThat(line).startsWith("PLACE  JOB  BEGINS IN (90 %)"),
                        line -> assertThat(line).matches(" +1 +b +.* to .* the one worker is busy"));
        out.reset();
        assertThat(run("", "top", "--json", "--sort", "left")).isZero();
        assertThat(out.toString(UTF_8))
                .contains(
                        "\"jobs\":{\"queued\":1,\"running\":1,",
                        "\"running\":[{\"job\":\"a\"",
                        "\"waiting\":{\"b\":{\"place\":1,");
        assertThat(run("", "top", "--sort", "size")).isEqualTo(ExitCodes.BAD_INPUT);
    }

    private void heartbeat(String id, String job) {
        WorkerStatus status = WorkerStatusBuilder.of(id, "cpu").job(job, 1).build();
        assertThat(worker.send(new ProducerRecord<>(
                        Topic.WORKERS.name(prefix), 0, System.currentTimeMillis(), id, EventJson.write(status))))
                .succeedsWithin(Patience.LIMIT);
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
        assertThat(out.toString(UTF_8)).containsPattern("gpus +QUEUED");
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
            Patience.await(line).until(() -> out.toString(UTF_8).contains(line)); // topics do not wait for each other
        }
        assertThat(Patience.get(command)).isZero();
        assertThat(out.toString(UTF_8)).contains("job a epoch 1 step 20/20 loss 1.0000", "job a finished: 20 steps");
    }

    @Test
    void watchReportsWhyACommandWasRejected() throws Exception {
        submit("a");
        CompletableFuture<Integer> command = CompletableFuture.supplyAsync(() -> run("", "watch", "a"));
        Patience.await("the command to watch")
                .until(() -> out.toString(UTF_8).contains("job a is waiting for a worker"));
        RecordHeaders headers = new RecordHeaders();
        headers.add(DeadLetter.REASON, "no such dataset here".getBytes(UTF_8));
        var _ = Patience.get(worker.send(
                new ProducerRecord<>(Topic.DEAD_LETTER.name(prefix), null, "a", "{".getBytes(UTF_8), headers)));
        assertThat(Patience.get(command)).isEqualTo(ExitCodes.FAILED);
        assertThat(out.toString(UTF_8)).contains("job a was rejected: no such dataset here");
    }

    /// The checkpoint store accepts only one end per job.
    @Test
    void submitAndWatchReportsAnEarlierFailureAtOnce() {
        submit("a");
        publish(claimed("a"));
        publish(failed("a", 1, "the dataset is not there"));
        assertThat(run(JOB.formatted("a"), "submit", "-", "--watch")).isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString(UTF_8)).contains("job a failed: the dataset is not there");
    }

    @Test
    void watchingFailsIfAnotherJobHasTheId() {
        submit("a");
        whole("a").forEach(this::publish);
        assertThat(run(JOB.formatted("a"), "submit", "-", "--watch")).isZero();
        assertThat(err.toString(UTF_8)).contains("job a was there already, finished, and was not trained again");
        assertThat(run(JOB.formatted("a").replace("epochs: 2", "epochs: 3"), "submit", "-", "--watch"))
                .isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString(UTF_8)).contains("job a: another job has this id");
    }

    @Test
    void watchSuggestsSimilarNamesForAnUnknownJob() {
        submit("tudui-1");
        submit("else");
        assertThat(run("", "watch", "tudui-2")).isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString(UTF_8))
                .contains("there is no job tudui-2: nothing was submitted under that id, but there is tudui-1;");
    }

    @Test
    void jobsListsEndedAndWaitingJobs() {
        assertThat(run("", "jobs")).isZero();
        assertThat(err.toString(UTF_8)).contains("there are no jobs");
        submit("a");
        submit("b");
        whole("a").forEach(this::publish);
        assertThat(run("", "jobs")).isZero();
        assertThat(out.toString(UTF_8).lines().skip(1).sorted())
                .satisfiesExactly(
                        row -> assertThat(row).startsWith("a    FINISHED"),
                        row -> assertThat(row).startsWith("b    QUEUED"));
        out.reset();
        assertThat(run("", "jobs", "--json")).isZero();
        assertThat(out.toString(UTF_8))
                .contains(
                        "\"state\":\"finished\"",
                        "\"state\":\"queued\"",
                        "\"testAccuracy\":0.75",
                        "\"network\":\"lenet\"");
    }

    @Test
    void jobsAreFilteredAndSorted() {
        assertThat(run(
                        JOB.formatted("a") + "---\n"
                                + JOB.formatted("b").replace("}", ", optimizer: {type: adam, learningRate: 0.1}}")
                                + "---\n" + JOB.formatted("c").replace("lenet", "tudui"),
                        "submit",
                        "-"))
                .isZero();
        whole("a").forEach(this::publish);
        publish(claimed("b", 1, "w7"));
        publish(losses("b", 1, 0, 1, 5));
        assertThat(listed("--state", "finished,running")).containsExactly("a", "b");
        assertThat(listed("--state", "queued")).containsExactly("c");
        assertThat(listed("--network", "lenet", "--worker", "w7")).containsExactly("b");
        assertThat(listed("--group", "optimizer.type=adam")).containsExactly("b");
        assertThat(listed("--group", "optimizer.learningRate=0.1")).containsExactly("b");
        assertThat(listed("--text", "TUD")).containsExactly("c");
        assertThat(listed("--sort", "loss")).containsExactly("a", "b", "c");
        assertThat(listed("--sort", "loss", "--descending")).containsExactly("b", "a", "c");
        assertThat(listed("--sort", "test_loss")).startsWith("a");
        assertThat(listed("--sort", "job", "--descending")).containsExactly("c", "b", "a");
        assertThat(listed("--state", "paused")).isEmpty();
        assertThat(err.toString(UTF_8)).contains("there are no jobs that match, but 3 others,");
        assertThat(run("", "jobs", "--state", "done")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(err.toString(UTF_8)).contains("\"done\" is not valid; allowed is queued, running, paused");
        assertThat(run("", "jobs", "--sort", "size")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("", "jobs", "--group", "adam")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(err.toString(UTF_8)).contains("--group is \"adam\"; allowed is FIELD=VALUE");
    }

    private List<String> listed(String... options) {
        out.reset();
        List<String> arguments = new ArrayList<>(List.of("jobs"));
        arguments.addAll(List.of(options));
        assertThat(run("", arguments.toArray(String[]::new))).isZero();
        return out.toString(UTF_8).lines().skip(1).map(row -> row.split(" ")[0]).toList();
    }

    @Test
    void submitAndWatchPrintsJsonForPrograms() {
        submit("a");
        List<TrainingEvent> events = whole("a");
        events.forEach(this::publish);
        assertThat(run(JOB.formatted("a"), "submit", "-", "--watch", "--json")).isZero();
        List<String> lines = out.toString(UTF_8).lines().toList();
        assertThat(lines.getFirst()).isEqualTo("{\"job\":\"a\"}");
        assertThat(lines.subList(1, lines.size()))
                .containsExactlyElementsOf(events.stream()
                        .map(event -> new String(json(event), UTF_8))
                        .toList());
        out.reset();
        assertThat(run("", "events", "--check", "--json")).isZero();
        assertThat(out.toString(UTF_8).strip()).isEqualTo("{\"jobs\":1,\"wrong\":[],\"remarks\":[]}");
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
        events.forEach(event -> lines.add(new String(json(event), UTF_8)));
        assertThat(out.toString(UTF_8).lines()).containsExactlyElementsOf(lines);
        assertThat(err.toString(UTF_8))
                .contains("skipped the record in " + prefix + "jobs-")
                .doesNotContain("Exception");
    }

    @Test
    void eventsOfAnUnknownJobAreAnErrorWithSimilarNames() {
        createTopics();
        whole("tudui-1").forEach(this::publish);
        publish(claimed("else"));
        send(Topic.JOBS, "tudui-2", "no JSON".getBytes(UTF_8));
        assertThat(run("", "events", "--job", "tudui-2")).isEqualTo(ExitCodes.FAILED);
        assertThat(out.toString(UTF_8)).isEmpty();
        assertThat(err.toString(UTF_8).lines().toList().getLast())
                .isEqualTo(
                        "there are no events of job tudui-2, but there are of tudui-1; ./trainyard jobs lists all jobs");
        err.reset();
        assertThat(run("", "events", "--job", "nothing-like-it")).isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString(UTF_8).strip())
                .isEqualTo("there are no events of job nothing-like-it; ./trainyard jobs lists all jobs");
    }

    @Test
    void eventsOfALaterJobAreFollowed() throws Exception {
        createTopics();
        AtomicBoolean closed = new AtomicBoolean();
        OutputStream until = new FilterOutputStream(out) {
            @Override
            public void flush() throws IOException {
                if (closed.get()) {
                    throw new IOException("Broken pipe");
                }
            }
        };
        Terminal terminal = new Terminal(new ByteArrayInputStream(new byte[0]), print(until), print(err), false);
        CompletableFuture<Integer> command = CompletableFuture.supplyAsync(
                () -> execute(terminal, TestBroker.address(), "events", "--job", "later", "--follow"));
        Patience.await("a word about it")
                .until(() -> err.toString(UTF_8).contains("there are no events of job later yet"));
        publish(claimed("later"));
        Patience.await("the event").until(() -> out.toString(UTF_8).contains("\"job\":\"later\""));
        assertThat(command).isNotDone();
        closed.set(true);
        assertThat(Patience.get(command)).isZero();
    }

    @Test
    void eventsEndsQuietlyWithoutAReader() {
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
    void reportsAnAddressThatDoesNotAnswer() throws IOException {
        try (Socket silent = Ports.silent()) {
            assertThat(execute(terminal(""), "localhost:" + silent.getLocalPort(), "jobs", "--kafka-timeout", "1"))
                    .isEqualTo(ExitCodes.KAFKA_UNREACHABLE);
        }
        assertThat(execute(terminal(""), "no-such-host.invalid:9092", "jobs")).isEqualTo(ExitCodes.KAFKA_UNREACHABLE);
        assertThat(err.toString(UTF_8).lines())
                .hasSize(2)
                .allMatch(line -> line.matches(
                        "Kafka at \\S+ does not answer: .*is the address right \\(--kafka HOST:PORT\\)\\?"));
        assertThat(execute(terminal(""), "nonsense", "jobs")).isEqualTo(ExitCodes.BAD_INPUT);
    }

    @Test
    void eventsCanBeCheckedInstead() {
        createTopics();
        whole("a").forEach(this::publish);
        submit("b");
        assertThat(run("", "events", "--check")).isZero();
        assertThat(out.toString(UTF_8).strip()).isEqualTo("checked 2 jobs: nothing is wrong");
        assertThat(err.toString(UTF_8)).contains("job b: it has not ended: it is queued");
        assertThat(run("", "events", "--check", "--complete")).isEqualTo(ExitCodes.FAILED);
        publish(failed("a", 1, "after all"));
        out.reset();
        assertThat(run("", "events", "--check", "--job", "a")).isEqualTo(ExitCodes.FAILED);
        assertThat(out.toString(UTF_8).lines())
                .containsExactly(
                        "job a: it has more than one end: finished in attempt 1, failed in attempt 1",
                        "checked 1 job: 1 wrong");
        assertThat(run("", "events", "--check", "--job", "aa")).isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString(UTF_8)).contains("there are no events of job aa, but there are of a");
        assertThat(run("", "events", "--check", "--follow")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("", "events", "--complete")).isEqualTo(ExitCodes.BAD_INPUT);
    }

    /// The worker created attempts but could not publish anything until the brokers dropped the command.
    @Test
    void aLostJobIsNamed(@TempDir Path folder) throws Exception {
        createTopics();
        CheckpointStore store = CheckpointStore.open(folder.toUri());
        submit("a");
        submit("c");
        whole("c").forEach(this::publish);
        try (var group = new KafkaShareConsumer<>(
                Map.<String, Object>of(
                        "bootstrap.servers",
                        TestBroker.address(),
                        "group.id",
                        Topic.COMMANDS_NORMAL.claimGroup(prefix),
                        "share.acknowledgement.mode",
                        "explicit",
                        "max.poll.records",
                        1),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            readFromTheBeginning(Topic.COMMANDS_NORMAL.claimGroup(prefix));
            group.subscribe(List.of(Topic.COMMANDS_NORMAL.name(prefix)));
            for (int attempt = 1; attempt <= 5; attempt++) {
                Owner owner = Owner.of("skewed", "x-0@0", attempt);
                assertThat(new JobFolder(store, "a").append(attempt - 1, owner)).isEqualTo(owner);
            }
            Set<String> dealtWith = new HashSet<>();
            Patience.await("the commands of a and c").until(() -> {
                group.poll(Duration.ofMillis(100)).forEach(command -> {
                    String text = new String(command.value(), UTF_8);
                    String job = text.contains("\"id\":\"a\"") ? "a" : "c";
                    boolean now = job.equals("a") || dealtWith.contains("a");
                    group.acknowledge(
                            command,
                            !now
                                    ? AcknowledgeType.RELEASE
                                    : job.equals("a") ? AcknowledgeType.REJECT : AcknowledgeType.ACCEPT);
                    if (now) {
                        dealtWith.add(job);
                    }
                });
                group.commitSync();
                return dealtWith.size() == 2;
            });
        }
        submit("b"); // this job waits
        String lost =
                "job a: it is lost: its command is in no topic, no worker owns it, it is not deferred, and it is not dead-lettered%s. Submit the same job under the same id: it resumes from its newest checkpoint";
        assertThat(run("", "events", "--check")).isEqualTo(ExitCodes.FAILED);
        assertThat(out.toString(UTF_8).lines()).containsExactly(lost.formatted(""), "checked 3 jobs: 1 wrong");
        out.reset();
        assertThat(run("", "events", "--check", "--json", "--checkpoints", folder.toString()))
                .isEqualTo(ExitCodes.FAILED);
        assertThat(out.toString(UTF_8))
                .contains(lost.formatted("; the store has 5 attempts of it, and events name 0"))
                .contains("\"jobs\":3");
        send(Topic.OWNERSHIP, "a", "{}".getBytes(UTF_8));
        assertThat(run("", "events", "--check")).isZero();
        send(Topic.OWNERSHIP, "a", null);
        assertThat(run("", "events", "--check")).isEqualTo(ExitCodes.FAILED);
        send(Topic.OWNERSHIP, "a/place", "{}".getBytes(UTF_8));
        assertThat(run("", "events", "--check")).isZero();
    }

    private static void readFromTheBeginning(String group) throws Exception {
        ConfigEntry earliest = new ConfigEntry("share.auto.offset.reset", "earliest");
        try (Admin admin = TestBroker.brokers().admin(Patience.LIMIT)) {
            var _ = Patience.get(admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.GROUP, group),
                            List.of(new AlterConfigOp(earliest, AlterConfigOp.OpType.SET))))
                    .all());
        }
    }
}
