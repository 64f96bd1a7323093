package io.trainyard.cli;

import io.trainyard.broker.EmbeddedBroker;
import io.trainyard.topics.Topic;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "broker",
        description = "Runs a Kafka broker for this machine, with all topics.",
        exitCodeList = {
            ExitCodes.UNEXPECTED_HELP,
            "2:a wrong option, the port is taken, or the directory cannot be used",
            ExitCodes.INTERRUPTED_HELP
        },
        footer = {"  ./trainyard broker", "  ./trainyard broker --port 9192 --dir /var/lib/kafka"})
final class BrokerCommand extends PlainCommand {
    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "9092",
            description = "Port on localhost; 0: any free port (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            defaultValue = "trainyard-kafka",
            description = "Folder for its data, created if missing and not deleted (default: ${DEFAULT-VALUE}).")
    private Path dir = Path.of("trainyard-kafka");

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            defaultValue = "${env:TRAINYARD_TOPICS_PREFIX:-" + Topic.DEFAULT_PREFIX + "}",
            description = "Prefix of topic names (default: TRAINYARD_TOPICS_PREFIX, or trainyard.).")
    private String prefix = Topic.DEFAULT_PREFIX;

    @SuppressWarnings("UnusedVariable") // read by name, before the command runs
    @Option(names = "--verbose", description = "Log Kafka's warnings and stack traces of unexpected errors.")
    private boolean verbose;

    @Override
    public Integer call() throws InterruptedException {
        EmbeddedBroker broker = EmbeddedBroker.start(dir, port, prefix);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            broker.close();
                            stopped.countDown();
                        },
                        "broker-shutdown"));
        var out = command.commandLine().getOut();
        out.printf("Kafka: %s, data in %s (stop with Ctrl+C)%n", broker.address(), broker.directory());
        out.flush();
        stopped.await();
        return ExitCodes.OK;
    }
}
