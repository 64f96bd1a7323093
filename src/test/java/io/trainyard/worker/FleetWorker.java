package io.trainyard.worker;

import io.trainyard.Patience;
import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.ownership.DeferredByVersion;
import io.trainyard.ownership.OwnershipMonitor;
import io.trainyard.spec.JobLimits;
import io.trainyard.spec.JobSchemaVersion;
import io.trainyard.trace.Tracing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/// A worker of a test's fleet: only its device and its process are simulated.
final class FleetWorker implements AutoCloseable {
    final Activity activity = new Activity();
    final ClaimLoop claims;
    final FleetView view;
    final CommandSweep sweep;
    private final OwnershipMonitorLoop monitor;
    private final Heartbeat heartbeat;

    /// @param schemaVersion the newest schema version that it understands
    /// @param slots the number of concurrent jobs
    record Setup(String worker, Set<String> kinds, Outbox outbox, int schemaVersion, Tracing tracing, int slots) {
        Setup(String worker, Set<String> kinds, Outbox outbox) {
            this(worker, kinds, outbox, JobSchemaVersion.OURS.newest(), Tracing.OFF, 1);
        }

        Setup understanding(int version) {
            return new Setup(worker, kinds, outbox, version, tracing, slots);
        }

        Setup traced(Tracing by) {
            return new Setup(worker, kinds, outbox, schemaVersion, by, slots);
        }

        Setup slots(int number) {
            return new Setup(worker, kinds, outbox, schemaVersion, tracing, number);
        }
    }

    FleetWorker(Fleet fleet, Setup setup, JobRunner runner) {
        Host machine = new SystemHost();
        String id = setup.worker();
        CommandRoutes routes = new CommandRoutes(fleet.prefix, setup.kinds());
        int deliveryLimit = ShareGroups.configure(fleet.brokers, fleet.prefix, Patience.LIMIT);
        WorkerRules rules = new WorkerRules(
                id,
                routes,
                setup.slots(),
                Patience.LIMIT,
                Duration.ofSeconds(5),
                3,
                5,
                deliveryLimit,
                new DeferredByVersion.Rules(setup.schemaVersion(), Fleet.NEWER_BEATS),
                Fleet.MAX_PREEMPTIONS,
                ProjectShares.Rules.NONE,
                JobLimits.DEFAULT);
        EventPublisher publisher = new EventPublisher(setup.outbox(), fleet.prefix, id);
        view = new FleetView(id, Instant.now());
        ClaimGate gate = new ClaimGate(ClaimGate.Rules.of(Fleet.BEAT, Duration.ofMinutes(5)));
        WorkerContext context = new WorkerContext(
                rules, machine, fleet.store, publisher, view, activity, setup.tracing(), new ClaimPriorities(), gate);
        monitor = new OwnershipMonitorLoop(
                context,
                () -> new KafkaFleetLog(fleet.brokers, fleet.prefix, id),
                new OwnershipMonitor.Rules(Fleet.BEATS, 1000));
        claims = new ClaimLoop(
                context, () -> new ShareQueue(fleet.brokers, id, routes.sources(), context.order()), runner);
        heartbeat = new Heartbeat(
                machine,
                publisher,
                gate,
                new Heartbeat.Self(
                        id,
                        "cpu",
                        fleet.store.identity(),
                        view::since,
                        "1.0",
                        setup.schemaVersion(),
                        setup.slots(),
                        view::used,
                        List::of,
                        activity));
        sweep = new CommandSweep(fleet.brokers, context);
        monitor.start();
        claims.start(monitor.ready());
        heartbeat.start(Fleet.BEAT);
    }

    @Override
    public void close() {
        claims.close();
        monitor.close();
        heartbeat.close();
    }
}
