package io.trainyard.cli;

import io.trainyard.topics.TopicAdmin;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `worker`: takes commands and trains, until it is stopped. An option that is not given leaves the setting to the
/// environment, which is where a container has it.
@Command(
        name = "worker",
        description = {
            "Takes jobs from Kafka, one at a time, and trains them on its device, until stopped.",
            "With --device it takes jobs for that kind of device and for any; with auto, for all kinds this machine has.",
            "When stopped, it saves a checkpoint and gives its job back; another worker goes on from there."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = ExitCodes.HEADING,
        exitCodeList = {
            "1:the worker cannot go on, and should be started anew",
            "2:a wrong option: no such device, a folder that cannot be used, or an id that is taken",
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        })
final class WorkerCommand implements Callable<Integer> {
    @Mixin
    private KafkaOptions kafka;

    @Mixin
    private TrainingOptions training = new TrainingOptions();

    @Option(
            names = "--id",
            paramLabel = "ID",
            description = {
                "Names the worker, and no other one: a second is refused while the first sends heartbeats",
                "(default: the host and a random suffix)."
            })
    private @Nullable String id;

    @Override
    public Integer call() {
        // Before Quarkus opens its channels, which say the same in a stack trace.
        TopicAdmin.createMissing(kafka.address(), kafka.prefix(), kafka.timeout());
        return Service.run(settings(), () -> {});
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>(training.settings());
        settings.putAll(kafka.settings());
        settings.put("trainyard.worker.enabled", "true");
        settings.put("quarkus.http.host-enabled", "false"); // several workers share a machine
        if (id != null) {
            settings.put("trainyard.worker.id", id);
        }
        return settings;
    }
}
