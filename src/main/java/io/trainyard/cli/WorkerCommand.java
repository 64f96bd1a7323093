package io.trainyard.cli;

import io.trainyard.topics.TopicAdmin;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `worker`: takes commands and trains, until it is stopped. An option that is not given leaves the setting to the
/// environment, which is where a container has it.
@Command(
        name = "worker",
        description = {
            "Takes jobs from Kafka, one at a time, and trains them on its device, until stopped.",
            "When stopped, it saves a checkpoint and gives its job back; another worker goes on from there."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = ExitCodes.HEADING,
        exitCodeList = {
            "1:the worker cannot go on, and should be started anew",
            "2:a wrong option: no such device, or a folder that cannot be used",
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        })
final class WorkerCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private KafkaOptions kafka;

    @Option(names = "--device", paramLabel = "D", description = "auto, cpu, reference, cuda or cuda:N (default: auto).")
    private @Nullable String device;

    @Option(names = "--data", paramLabel = "DIR", description = "Folder with the data sets (default: data).")
    private @Nullable String data;

    @Option(
            names = "--checkpoints",
            paramLabel = "URI",
            description = "Where checkpoints go: a folder or a URI, the same for all workers (default: checkpoints).")
    private @Nullable String checkpoints;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "CPU threads; 0 lets the device choose for each network (default: 0).")
    private @Nullable Integer threads;

    @Option(
            names = "--id",
            paramLabel = "ID",
            description = "Names the worker (default: the host and a random suffix).")
    private @Nullable String id;

    @Override
    public Integer call() {
        if (threads != null && (threads < 0 || threads > TrainingOptions.MAX_THREADS)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--threads is %d; allowed is 0 to %d".formatted(threads, TrainingOptions.MAX_THREADS));
        }
        // Before Quarkus opens its channels, which say the same in a stack trace.
        TopicAdmin.createMissing(kafka.address(), kafka.prefix(), kafka.timeout());
        return Service.run(settings(), () -> {});
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        settings.put("trainyard.worker.enabled", "true");
        settings.put("quarkus.http.host-enabled", "false"); // several workers share a machine
        settings.put("trainyard.kafka", kafka.address());
        settings.put("trainyard.topics.prefix", kafka.prefix());
        put(settings, "trainyard.worker.device", device);
        put(settings, "trainyard.data", data);
        put(settings, "trainyard.checkpoints", checkpoints);
        put(settings, "trainyard.worker.threads", threads);
        put(settings, "trainyard.worker.id", id);
        return settings;
    }

    private static void put(Map<String, String> settings, String key, @Nullable Object value) {
        if (value != null) {
            settings.put(key, value.toString());
        }
    }
}
