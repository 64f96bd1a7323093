package io.trainyard.cli;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Application;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.trainyard.metrics.Meters;
import io.trainyard.topics.Brokers;
import io.trainyard.worker.WorkerService;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/// Runs Quarkus for the commands that serve until they are stopped.
public final class Service implements QuarkusApplication {
    private static final System.Logger LOG = System.getLogger(Service.class.getName());
    private static final AtomicReference<Runnable> READY = new AtomicReference<>(() -> {});
    private static final AtomicReference<RuntimeException> FAILURE = new AtomicReference<>();

    private final WorkerService worker;
    private final Brokers brokers;
    private final Meters meters;
    private final boolean served;

    /// @param served whether this process listens for whoever wants its metrics
    @Inject
    Service(
            WorkerService worker,
            Brokers brokers,
            MeterRegistry registry,
            @ConfigProperty(name = "quarkus.http.host-enabled", defaultValue = "true") boolean served) {
        this.worker = worker;
        this.brokers = brokers;
        this.meters = new Meters(registry);
        this.served = served;
    }

    /// @param settings configuration of this run; they win over the environment
    /// @param whenReady called once when everything listens
    /// @return the exit status
    /// @throws RuntimeException what keeps the worker of this process from starting, or from going on
    static int run(Map<String, String> settings, Runnable whenReady) {
        settings.forEach(System::setProperty);
        READY.set(whenReady);
        int[] status = {0};
        Quarkus.run(Service.class, (code, failure) -> {
            status[0] = failure == null ? code : 1;
            if (failure != null) { // from before the service, such as a setting that is none: nobody has said it yet
                var _ = FAILURE.updateAndGet(
                        said -> said == null ? new IllegalStateException(root(failure), failure) : said);
            }
        });
        RuntimeException failure = FAILURE.get();
        if (failure != null) {
            throw failure;
        }
        return status[0];
    }

    private static String root(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.toString();
    }

    /// As [#run(Map, Runnable)], for an application that needs something else running below it.
    ///
    /// @param below is closed when the application has stopped; also when a signal stops it
    static int run(Map<String, String> settings, AutoCloseable below, Runnable whenReady) {
        Thread hook = new Thread(() -> closeAfterApplication(below), "close-below");
        Runtime.getRuntime().addShutdownHook(hook);
        return run(settings, whenReady); // main exits next, which runs the hook
    }

    /// All shutdown hooks run at the same time, so this one waits for the one that stops the application.
    private static void closeAfterApplication(AutoCloseable below) {
        Application application = Application.currentApplication();
        if (application != null) {
            application.awaitShutdown();
        }
        try {
            below.close();
        } catch (Exception e) {
            LOG.log(System.Logger.Level.WARNING, below + " did not close cleanly", e);
        }
    }

    @Override
    public int run(String... args) {
        var _ = worker.ended().whenComplete((_, problem) -> {
            if (problem != null) {
                FAILURE.set(new IllegalStateException(problem.getMessage(), problem));
                Quarkus.asyncExit(1);
            }
        });
        if (served) {
            meters.process();
        }
        try {
            worker.start(brokers);
            READY.get().run();
        } catch (RuntimeException e) { // said in a sentence by the command, without Quarkus's stack trace
            FAILURE.set(e);
            return 1;
        }
        Quarkus.waitForExit();
        return 0;
    }

    /// Says that a port is taken before Quarkus does, in a stack trace.
    ///
    /// @param option names the port
    /// @throws ParameterException if nothing can listen there
    static void requireFree(CommandSpec command, String option, String host, int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(InetAddress.getByName(host), port));
        } catch (IOException | IllegalArgumentException e) {
            throw new ParameterException(
                    command.commandLine(),
                    "cannot listen on %s:%d: %s; give another %s (0 takes a free one)"
                            .formatted(host, port, e.getMessage(), option),
                    e);
        }
    }

    /// The port that the page listens on; known when everything listens.
    static String httpPort() {
        return ConfigProvider.getConfig().getValue("quarkus.http.port", String.class);
    }
}
