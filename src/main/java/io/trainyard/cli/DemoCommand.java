package io.trainyard.cli;

import io.quarkus.runtime.Quarkus;
import io.trainyard.broker.BrokerException;
import io.trainyard.broker.EmbeddedBroker;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.cli.watch.JobWatch;
import io.trainyard.device.Devices;
import io.trainyard.jobfile.JobFiles;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.CommandSender;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `demo`: a complete fleet in one process, with Kafka, a worker and the dashboard.
@Command(
        name = "demo",
        description = {
            "Runs Kafka, a worker, the dashboard and jobs in one process.",
            "It listens on localhost only. All other commands can be used while it runs."
        },
        mixinStandardHelpOptions = true,
        exitCodeList = {
            "0:stopped; with --exit: all jobs finished",
            ExitCodes.FAILED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footer = {"  ./trainyard demo", "  ./trainyard demo --data ~/data --jobs jobs.yaml --exit"})
public final class DemoCommand implements Callable<Integer> {
    private static final String JOBS = "/jobs/demo.yaml";
    private static final String LOCALHOST = "localhost";

    private final Terminal terminal;

    @Spec
    private CommandSpec spec;

    @Mixin
    private TrainingOptions options = new TrainingOptions();

    @Option(
            names = "--jobs",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Jobs, JSON or YAML (default: four jobs on built-in data).")
    private List<String> files = List.of();

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8080",
            description = "Port of the dashboard; 0: any free port (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--kafka-port",
            paramLabel = "N",
            defaultValue = "9092",
            description = "Port of Kafka; 0: any free port (default: ${DEFAULT-VALUE}).")
    private int kafkaPort;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "Folder for Kafka's log, checkpoints and history (default: a temporary folder, deleted at the end).")
    private @Nullable Path directory;

    @Option(names = "--exit", description = "Stop when all jobs have ended.")
    private boolean exit;

    public DemoCommand() {
        this(Terminal.system());
    }

    DemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        List<JobSpec> jobs = files.isEmpty() ? builtIn() : JobFiles.read(files, terminal.in());
        requireKinds(jobs, Devices.kinds(options.device()));
        QuarkusService.requireFree(spec, "--port", LOCALHOST, port);
        QuarkusService.requireFree(spec, "--kafka-port", LOCALHOST, kafkaPort);
        var _ = Devices.beginWarmUp(options.device()); // a missing device is reported when it is opened
        Path folder = directory == null ? temporary() : directory;
        EmbeddedBroker broker = startBroker(folder);
        AutoCloseable below = () -> {
            broker.close();
            removeTemporary(folder);
        };
        int[] watched = {ExitCodes.OK};
        int ended = QuarkusService.run(settings(broker, folder), below, () -> watched[0] = train(broker, jobs));
        return exit && ended == ExitCodes.OK ? watched[0] : ended;
    }

    /// There is only one worker, so a job for another kind of device would wait forever.
    private static void requireKinds(List<JobSpec> jobs, Set<String> kinds) {
        for (JobSpec job : jobs) {
            String kind = job.device().kind();
            if (Priority.NAMED_KINDS.contains(kind) && !kinds.contains(kind)) {
                throw new InvalidJobException(
                        "job %s: device is \"%s\", but the demo's worker has %s; leave device out, or see ./trainyard devices for the reason"
                                .formatted(
                                        job.id(),
                                        job.device().name(),
                                        kinds.stream().sorted().collect(Collectors.joining(", "))));
            }
        }
    }

    private Map<String, String> settings(EmbeddedBroker broker, Path folder) {
        Map<String, String> settings = new HashMap<>();
        settings.put(
                "trainyard.checkpoints", folder.resolve("checkpoints").toUri().toString());
        settings.putAll(options.settings());
        settings.put("trainyard.kafka", broker.address());
        settings.put("trainyard.kafka-config", ""); // the demo's broker accepts all local clients
        settings.put("trainyard.worker.enabled", "true");
        settings.put("trainyard.dashboard.enabled", "true");
        settings.put("trainyard.dashboard.local", "");
        settings.put("trainyard.dashboard.tracking", "jdbc:sqlite:" + folder.resolve("tracking.db"));
        settings.put("quarkus.http.host", LOCALHOST);
        settings.put("quarkus.http.port", Integer.toString(port));
        settings.put("quarkus.log.console.stderr", "true"); // standard output shows the progress
        settings.put("quarkus.log.console.level", "WARN");
        return settings;
    }

    /// @return the exit status; 0 if all jobs finished
    private int train(EmbeddedBroker broker, List<JobSpec> jobs) {
        terminal.out()
                .printf("page   http://%s:%s/%nKafka  %s%n", LOCALHOST, QuarkusService.httpPort(), broker.address());
        options.choice(jobs).ifPresent(choice -> terminal.out().println("device " + choice));
        terminal.out().println();
        Cluster kafka = new Cluster(Brokers.at(broker.address()), Topic.DEFAULT_PREFIX, EmbeddedBroker.START_TIMEOUT);
        new CommandSender(kafka, CloudEvents.CLI).send(jobs, Priority.NORMAL, _ -> {});
        boolean allFinished = JobWatch.run(
                kafka,
                terminal,
                jobs.stream().map(JobSpec::id).toList(),
                jobs,
                false,
                "stopped; the jobs end with the demo");
        int status = allFinished ? ExitCodes.OK : ExitCodes.FAILED;
        if (exit) {
            Quarkus.asyncExit(status);
        } else {
            terminal.out()
                    .printf("%nAll jobs have ended. The page stays until ctrl-C; ./trainyard submit takes more.%n");
        }
        return status;
    }

    private static List<JobSpec> builtIn() {
        try (InputStream in = Objects.requireNonNull(DemoCommand.class.getResourceAsStream(JOBS), JOBS)) {
            return JobFiles.read(List.of(JobFiles.STANDARD_INPUT), in);
        } catch (IOException e) {
            throw new UncheckedIOException("the jobs of the demo cannot be read", e);
        }
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("trainyard-demo-");
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary folder can be made for Kafka; name one with --dir", e);
        }
    }

    private EmbeddedBroker startBroker(Path folder) throws IOException {
        try {
            return EmbeddedBroker.start(folder.resolve("kafka"), kafkaPort, Topic.DEFAULT_PREFIX);
        } catch (BrokerException e) {
            removeTemporary(folder);
            throw e;
        }
    }

    private void removeTemporary(Path folder) throws IOException {
        if (directory != null) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
