package io.trainyard.cli;

import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.eclipse.microprofile.config.ConfigProvider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `trainyard dashboard`: the page, until it is stopped.
@Command(
        name = "dashboard",
        description = "Shows jobs and workers live on a page, until stopped.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:stopped", "2:an option cannot be, or the port is taken", "3:Kafka does not answer"})
final class DashboardCommand implements Callable<Integer> {
    private static final int PORT_TAKEN = 2;
    private static final int KAFKA_UNREACHABLE = 3;
    private static final Duration KAFKA_TIMEOUT = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--kafka",
            paramLabel = "HOST:PORT",
            defaultValue = "localhost:9092",
            description = "Where Kafka listens (default: ${DEFAULT-VALUE}).")
    private String kafka;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8080",
            description = "Port of the page; 0 takes a free one (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            defaultValue = "localhost",
            description = "Address to listen on; 0.0.0.0 opens the page to the network (default: ${DEFAULT-VALUE}).")
    private String host;

    @Override
    public Integer call() {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(InetAddress.getByName(host), port));
        } catch (IOException | IllegalArgumentException e) {
            return complain(
                    PORT_TAKEN,
                    "cannot listen on %s:%d: %s; give another --port (0 takes a free one) or --host"
                            .formatted(host, port, String.valueOf(e.getMessage())));
        }
        try {
            String prefix = ConfigProvider.getConfig().getValue("trainyard.topics.prefix", String.class);
            TopicAdmin.createMissing(kafka, prefix, KAFKA_TIMEOUT);
        } catch (KafkaUnreachableException e) {
            return complain(KAFKA_UNREACHABLE, String.valueOf(e.getMessage()));
        }
        return Service.run(
                Map.of(
                        "trainyard.kafka",
                        kafka,
                        "trainyard.dashboard.enabled",
                        "true",
                        "quarkus.http.host",
                        host,
                        "quarkus.http.port",
                        Integer.toString(port)),
                () -> spec.commandLine()
                        .getOut()
                        .printf(
                                "Dashboard: http://%s:%s/ (stop with Ctrl+C)%n",
                                host, ConfigProvider.getConfig().getValue("quarkus.http.port", String.class)));
    }

    private int complain(int exitCode, String sentence) {
        spec.commandLine().getErr().println(sentence);
        return exitCode;
    }
}
