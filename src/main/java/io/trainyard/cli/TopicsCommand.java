package io.trainyard.cli;

import io.trainyard.topics.Cluster;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicCheck;
import picocli.CommandLine.Command;

@Command(
        name = "topics",
        description = {
            "Creates missing topics, and corrects settings that lose jobs.",
            "Other commands do the same if Kafka permits it."
        },
        footer = {"  ./trainyard topics", "  ./trainyard topics --kafka kafka:9092 --prefix team."})
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
