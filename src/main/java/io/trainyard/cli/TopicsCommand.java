package io.trainyard.cli;

import io.trainyard.cli.terminal.Terminal;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `topics`: makes the topics that are missing, so that nobody else need be allowed to.
@Command(
        name = "topics",
        description = {
            "Makes the topics that are missing; those that are there keep their settings.",
            "Other commands do so, too, where Kafka allows it."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = ExitCodes.HEADING,
        exitCodeList = {
            ExitCodes.OK_HELP,
            ExitCodes.UNEXPECTED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        })
public final class TopicsCommand implements Callable<Integer>, PlainCommand {
    private final Terminal terminal;

    @Mixin
    private KafkaOptions kafka;

    public TopicsCommand() {
        this(Terminal.system());
    }

    TopicsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Cluster fleet = kafka.cluster();
        TopicAdmin.createMissing(fleet.brokers(), fleet.prefix(), fleet.timeout());
        terminal.out().printf("all %d topics %s* are at %s%n", Topic.values().length, fleet.prefix(), fleet.address());
        terminal.out().flush();
        return ExitCodes.OK;
    }
}
