package io.trainyard.cli;

import io.trainyard.device.Devices;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicCheck;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `worker`: claims and trains jobs until it is stopped. Options that are not given fall back to environment
/// variables, which containers use.
@Command(
        name = "worker",
        description = {
            "Runs jobs from Kafka, one or several at a time, until stopped.",
            "It runs jobs that request its --device or any, and requeues them when stopped."
        },
        mixinStandardHelpOptions = true,
        exitCodeList = {
            "1:the worker cannot continue and must be restarted",
            "2:a wrong option, no such device, an unusable folder, an id or port in use",
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footer = {"  ./trainyard worker --kafka kafka:9092", "  ./trainyard worker --device cuda:0 --slots 4"})
final class WorkerCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private KafkaOptions kafka;

    @Mixin
    private ProjectsOptions projects = new ProjectsOptions();

    @Mixin
    private TrainingOptions training = new TrainingOptions();

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = "Jobs at a time on its device, 1 to 64 (default: TRAINYARD_WORKER_SLOTS, or 1).")
    private @Nullable Integer slots;

    @Option(names = "--id", paramLabel = "ID", description = "Unique id (default: the host and a random suffix).")
    private @Nullable String id;

    @Option(
            names = "--metrics-port",
            paramLabel = "N",
            defaultValue = "${env:TRAINYARD_WORKER_METRICS_PORT}",
            description =
                    "Port of /metrics for Prometheus; 0: any free port (default: TRAINYARD_WORKER_METRICS_PORT, or none).")
    private @Nullable Integer metricsPort;

    @Option(
            names = "--metrics-host",
            paramLabel = "NAME",
            defaultValue = "${env:TRAINYARD_WORKER_METRICS_HOST:-localhost}",
            description =
                    "Address of metrics; 0.0.0.0: the network (default: TRAINYARD_WORKER_METRICS_HOST, or localhost).")
    private String metricsHost = "localhost";

    @Override
    public Integer call() {
        if (metricsPort != null) {
            QuarkusService.requireFree(spec, "--metrics-port", metricsHost, metricsPort);
        }
        beginWarmUp();
        // Quarkus would report the same with a stack trace when it opens its channels.
        TopicCheck.correct(kafka.brokers(), kafka.prefix(), kafka.timeout());
        TopicAdmin.createMissing(kafka.brokers(), kafka.prefix(), kafka.timeout());
        return QuarkusService.run(settings(), this::announce);
    }

    /// As early as possible: it takes as long as the rest of the start. The service opens the device and reports
    /// errors.
    private void beginWarmUp() {
        String named =
                training.settings().getOrDefault("trainyard.worker.device", System.getenv("TRAINYARD_WORKER_DEVICE"));
        if (named != null) {
            var _ = CompletableFuture.supplyAsync(() -> new DeviceSpec(named)).thenCompose(Devices::beginWarmUp);
        }
    }

    private void announce() {
        if (metricsPort != null) {
            spec.commandLine()
                    .getOut()
                    .printf("Metrics: http://%s:%s/metrics%n", metricsHost, QuarkusService.httpPort());
        }
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>(training.settings());
        settings.putAll(kafka.settings());
        settings.putAll(projects.settings());
        settings.put("trainyard.worker.enabled", "true");
        settings.put("quarkus.http.host-enabled", Boolean.toString(metricsPort != null));
        settings.put("quarkus.http.host", metricsHost);
        settings.put("quarkus.http.port", Integer.toString(metricsPort == null ? 0 : metricsPort));
        if (slots != null) {
            settings.put("trainyard.worker.slots", slots.toString());
        }
        if (id != null) {
            settings.put("trainyard.worker.id", id);
        }
        return settings;
    }
}
