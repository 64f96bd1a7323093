package io.trainyard.cli;

import io.trainyard.topics.TopicAdmin;
import io.trainyard.tracking.TrackingException;
import io.trainyard.tracking.TrackingStore;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `trainyard dashboard`: the page, until it is stopped.
@Command(
        name = "dashboard",
        description = "Shows jobs and workers live on a page, until stopped.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = ExitCodes.HEADING,
        exitCodeList = {
            ExitCodes.UNEXPECTED_HELP,
            "2:a wrong option, the port is taken, or the tracking store cannot be opened",
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        })
final class DashboardCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private KafkaOptions kafka = new KafkaOptions();

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

    @Option(
            names = "--tracking",
            paramLabel = "URL",
            defaultValue = TrackingOptions.DEFAULT,
            description = {
                "Where the history of all jobs is kept: jdbc:sqlite:FILE, or",
                "jdbc:postgresql://HOST/DATABASE?user=NAME&password=WORD",
                "(default: TRAINYARD_DASHBOARD_TRACKING, or jdbc:sqlite:tracking.db)."
            })
    private String tracking;

    @Override
    public Integer call() {
        Service.requireFree(spec, "--port", host, port);
        requireTracking();
        TopicAdmin.createMissing(kafka.address(), kafka.prefix(), kafka.timeout());
        Map<String, String> settings = new HashMap<>(kafka.settings());
        settings.put("trainyard.dashboard.enabled", "true");
        settings.put("trainyard.dashboard.tracking", tracking);
        settings.put("quarkus.http.host", host);
        settings.put("quarkus.http.port", Integer.toString(port));
        return Service.run(settings, this::announce);
    }

    /// Says what is wrong with it before Quarkus does, in a stack trace.
    private void requireTracking() {
        try {
            TrackingStore.open(tracking).close();
        } catch (TrackingException e) {
            throw new ParameterException(spec.commandLine(), "--tracking: " + e.getMessage(), e);
        }
    }

    private void announce() {
        spec.commandLine().getOut().printf("Dashboard: http://%s:%s/ (stop with Ctrl+C)%n", host, Service.httpPort());
    }
}
