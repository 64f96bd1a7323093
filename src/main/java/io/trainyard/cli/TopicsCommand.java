package io.trainyard.cli;

import io.trainyard.topics.Cluster;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicCheck;
import picocli.CommandLine.Command;

@Command(
        name = "topics",
        description = {
            "Creates the topics that are missing, and corrects settings with which jobs would be lost.",
            "Other commands do so, too, where Kafka allows it."
        })
public final class TopicsCommand extends FleetCommand {
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
