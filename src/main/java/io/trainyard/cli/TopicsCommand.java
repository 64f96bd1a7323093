package io.trainyard.cli;

import io.trainyard.cli.terminal.Terminal;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicCheck;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `topics`: makes the topics that are missing, so that nobody else need be allowed to.
@Command(
        name = "topics",
        description = {
            "Creates the topics that are missing, and corrects settings with which jobs would be lost.",
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
        TopicCheck.correct(fleet.brokers(), fleet.prefix(), fleet.timeout());
        TopicAdmin.createMissing(fleet.brokers(), fleet.prefix(), fleet.timeout());
        terminal.out().printf("all %d topics %s* are at %s%n", Topic.values().length, fleet.prefix(), fleet.address());
        terminal.out().flush();
        return ExitCodes.OK;
    }
}
