package io.trainyard.dashboard;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/// What the dashboard does now and then without being asked.
@ApplicationScoped
class Background {
    private static final Logger LOG = Logger.getLogger(Background.class);
    private static final int LOOK_SECONDS = 1;
    private static final int METRICS_SECONDS = 5;
    private static final int FORGET_SECONDS = 60;

    private final Instance<SourceWatch> watch;
    private final Instance<FleetGauges> gauges;
    private final Instance<Retention> retention;
    private final DashboardConfig config;
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(
            2, Thread.ofPlatform().name("background-", 0).daemon().factory());

    /// @param watch not made, nor the store under it, in a process that is no dashboard; so are the others
    Background(
            Instance<SourceWatch> watch,
            Instance<FleetGauges> gauges,
            Instance<Retention> retention,
            DashboardConfig config) {
        this.watch = watch;
        this.gauges = gauges;
        this.retention = retention;
        this.config = config;
    }

    void start(@Observes StartupEvent event) {
        if (config.enabled()) {
            every(LOOK_SECONDS, watch.get()::look);
            every(METRICS_SECONDS, gauges.get()::look);
            every(FORGET_SECONDS, () -> retention.get().forget(System.currentTimeMillis()));
        }
    }

    /// What goes wrong once may be well the next time.
    private void every(int seconds, Runnable work) {
        var _ = timer.scheduleWithFixedDelay(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException e) {
                        LOG.warn("it is tried again", e);
                    }
                },
                0,
                seconds,
                TimeUnit.SECONDS);
    }

    void stop(@Observes ShutdownEvent event) throws InterruptedException {
        timer.shutdownNow();
        if (timer.awaitTermination(FORGET_SECONDS, TimeUnit.SECONDS) && config.enabled()) {
            watch.get().close();
        }
    }
}
