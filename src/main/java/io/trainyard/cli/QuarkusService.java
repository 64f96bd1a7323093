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

/// Runs Quarkus for commands that serve until they are stopped.
public final class QuarkusService implements QuarkusApplication {
    private static final System.Logger LOG = System.getLogger(QuarkusService.class.getName());
    private static final AtomicReference<Runnable> READY = new AtomicReference<>(() -> {});
    private static final AtomicReference<RuntimeException> FAILURE = new AtomicReference<>();

    private final WorkerService worker;
    private final Brokers brokers;
    private final Meters meters;
    private final boolean served;

    /// @param served whether this process serves metrics over HTTP
    @Inject
    QuarkusService(
            WorkerService worker,
            Brokers brokers,
            MeterRegistry registry,
            @ConfigProperty(name = "quarkus.http.host-enabled", defaultValue = "true") boolean served) {
        this.worker = worker;
        this.brokers = brokers;
        this.meters = new Meters(registry);
        this.served = served;
    }

    /// @param settings override the environment
    /// @param whenReady called once when all ports are open
    /// @return the exit status
    /// @throws RuntimeException if the worker of this process cannot start or continue
    static int run(Map<String, String> settings, Runnable whenReady) {
        settings.forEach(System::setProperty);
        READY.set(whenReady);
        int[] status = {0};
        Quarkus.run(QuarkusService.class, (code, failure) -> {
            status[0] = failure == null ? code : 1;
            if (failure != null) { // before the service started, for example an invalid setting; not reported yet
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

    /// Like [#run(Map, Runnable)], for an application that depends on another service in this process.
    ///
    /// @param below the other service, closed after the application has stopped, also after a signal
    static int run(Map<String, String> settings, AutoCloseable below, Runnable whenReady) {
        Thread hook = new Thread(() -> closeAfterApplication(below), "close-below");
        Runtime.getRuntime().addShutdownHook(hook);
        return run(settings, whenReady); // main exits next, which runs the hook
    }

    /// Shutdown hooks run concurrently, so this one waits for the hook that stops the application.
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
        } catch (RuntimeException e) { // the command reports it without Quarkus' stack trace
            FAILURE.set(e);
            return 1;
        }
        Quarkus.waitForExit();
        return 0;
    }

    /// Reports a port in use before Quarkus does so with a stack trace.
    ///
    /// @param option the option with the port, for the message
    /// @throws ParameterException if the port cannot be opened
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

    /// The HTTP port. Known when all ports are open.
    static String httpPort() {
        return ConfigProvider.getConfig().getValue("quarkus.http.port", String.class);
    }
}
