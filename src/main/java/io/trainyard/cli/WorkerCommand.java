package io.trainyard.cli;

import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicCheck;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
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
            "Takes jobs from Kafka, one at a time or several (--slots), and trains them on its device, until stopped.",
            "With --device it takes jobs for that kind of device and for any; with auto, for all kinds this machine has.",
            "When stopped, it saves a checkpoint and gives its jobs back; another worker goes on from there."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = ExitCodes.HEADING,
        exitCodeList = {
            "1:the worker cannot go on, and should be started anew",
            "2:a wrong option: no such device, a folder that cannot be used, an id or a port that is taken",
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        })
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
            description = {
                "Jobs that it has at once, side by side on its device, 1 to 64 (default: TRAINYARD_WORKER_SLOTS, or 1).",
                "For small ones, each of which leaves the device idle for most of the time."
            })
    private @Nullable Integer slots;

    @Option(
            names = "--id",
            paramLabel = "ID",
            description = {
                "Names the worker, and no other one: a second is refused while the first sends heartbeats",
                "(default: the host and a random suffix)."
            })
    private @Nullable String id;

    @Option(
            names = "--metrics-port",
            paramLabel = "N",
            defaultValue = "${env:TRAINYARD_WORKER_METRICS_PORT}",
            description = {
                "Serves metrics for Prometheus on this port, under /metrics; 0 takes a free one",
                "(default: TRAINYARD_WORKER_METRICS_PORT, or none: several workers share a machine)."
            })
    private @Nullable Integer metricsPort;

    @Option(
            names = "--metrics-host",
            paramLabel = "NAME",
            defaultValue = "${env:TRAINYARD_WORKER_METRICS_HOST:-localhost}",
            description = {
                "Address to serve them on; 0.0.0.0 opens them to the network",
                "(default: TRAINYARD_WORKER_METRICS_HOST, or localhost)."
            })
    private String metricsHost = "localhost";

    @Override
    public Integer call() {
        if (metricsPort != null) {
            Service.requireFree(spec, "--metrics-port", metricsHost, metricsPort);
        }
        // Quarkus would report the same with a stack trace when it opens its channels.
        TopicCheck.correct(kafka.brokers(), kafka.prefix(), kafka.timeout());
        TopicAdmin.createMissing(kafka.brokers(), kafka.prefix(), kafka.timeout());
        return Service.run(settings(), this::announce);
    }

    private void announce() {
        if (metricsPort != null) {
            spec.commandLine().getOut().printf("Metrics: http://%s:%s/metrics%n", metricsHost, Service.httpPort());
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
