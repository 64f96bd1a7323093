package io.trainyard.dashboard;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/// Starts the dashboard's background tasks.
@ApplicationScoped
class BackgroundTasks {
    private static final Logger LOG = Logger.getLogger(BackgroundTasks.class);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration SEND = Duration.ofMillis(500);
    private static final Duration METRICS = Duration.ofSeconds(5);
    private static final Duration LOCAL = Duration.ofMillis(200);
    private static final Duration PODS = Duration.ofMillis(250);
    private static final Duration FORGET = Duration.ofMinutes(1);

    private final Instance<TopicConsumer> reader;
    private final Instance<LocalRuns> localRuns;
    private final Instance<SourceWatch> watch;
    private final Instance<FleetGauges> gauges;
    private final Instance<HistoryRetention> retention;
    private final Instance<AlertWatch> alerts;
    private final Instance<TensorBoardFiles> tensorBoard;
    private final Instance<PodWatch> pods;
    private final Instance<DemandWatch> demand;
    private final Instance<ForecastUpdates> forecasts;
    private final DashboardConfig config;
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(
            6, Thread.ofPlatform().name("background-", 0).daemon().factory());

    /// @param reader like the other instances, not created in a process without a dashboard, and neither is the
    ///     store
    BackgroundTasks(
            Instance<TopicConsumer> reader,
            Instance<LocalRuns> localRuns,
            Instance<SourceWatch> watch,
            Instance<FleetGauges> gauges,
            Instance<HistoryRetention> retention,
            Instance<AlertWatch> alerts,
            Instance<TensorBoardFiles> tensorBoard,
            Instance<PodWatch> pods,
            Instance<DemandWatch> demand,
            Instance<ForecastUpdates> forecasts,
            DashboardConfig config) {
        this.reader = reader;
        this.localRuns = localRuns;
        this.watch = watch;
        this.gauges = gauges;
        this.retention = retention;
        this.alerts = alerts;
        this.tensorBoard = tensorBoard;
        this.pods = pods;
        this.demand = demand;
        this.forecasts = forecasts;
        this.config = config;
    }

    void start(@Observes StartupEvent event) {
        if (config.enabled()) {
            AlertWatch alert = alerts.get(); // invalid settings prevent the start of the dashboard
            if (config.local().isPresent()) {
                every(LOCAL, localRuns.get()::look);
            } else {
                reader.get().start();
                every(LOOK, watch.get()::look);
            }
            every(METRICS, gauges.get()::look);
            every(LOOK, alert::look);
            every(LOOK, forecasts.get()::look);
            every(SEND, alert::send);
            every(LOOK, tensorBoard.get()::append);
            if (config.markPods()) {
                every(PODS, pods.get()::look);
            }
            if (config.scalerPort().isPresent()) {
                demand.get().start();
            }
            every(FORGET, () -> retention.get().forget(System.currentTimeMillis()));
            every(FORGET, () -> alert.forget(System.currentTimeMillis()));
        }
    }

    /// Runs a task periodically. A task that fails is run again.
    private void every(Duration pause, Runnable work) {
        var _ = timer.scheduleWithFixedDelay(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException e) {
                        LOG.warn("it is tried again", e);
                    }
                },
                0,
                pause.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    void stop(@Observes ShutdownEvent event) throws InterruptedException {
        timer.shutdownNow();
        if (config.enabled()) {
            reader.get().close();
        }
        if (timer.awaitTermination(FORGET.toSeconds(), TimeUnit.SECONDS) && config.enabled()) {
            watch.get().close();
            alerts.get().close();
            if (config.markPods()) {
                pods.get().close();
            }
            if (config.scalerPort().isPresent()) {
                demand.get().close();
            }
        }
    }
}
