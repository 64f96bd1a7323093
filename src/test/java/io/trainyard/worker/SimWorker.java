package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.ownership.DeferredByVersion;
import io.trainyard.ownership.OwnershipMonitor;
import io.trainyard.spec.JobLimits;
import io.trainyard.spec.JobSchemaVersion;
import io.trainyard.trace.Tracing;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A worker in a process of a simulated world, assembled as [WorkerService] does. Claim loop, ownership
/// monitor, heartbeat and job folders are production code; only the training is a stub.
final class SimWorker {
    private static final Set<String> CPU = Set.of("cpu");

    /// How long a command waits that no worker understands: five minutes.
    static final int NEWER_BEATS = 150;

    /// How often a job may be preempted.
    static final int MAX_PREEMPTIONS = 3;

    private final SimProcess process;
    private final Fleet fleet;
    private final SimStore store;
    private final boolean lacking;
    private int slots = 1;
    private int watched = 200_000;
    private boolean isDeviceSick;
    private ProjectShares.Rules shares = ProjectShares.Rules.NONE;
    private DeferredByVersion.Rules deferring =
            new DeferredByVersion.Rules(JobSchemaVersion.OURS.newest(), NEWER_BEATS);
    private @Nullable ClaimLoop claims;
    private @Nullable OwnershipMonitorLoop monitor;
    private @Nullable Heartbeat heartbeat;

    /// The parts that the workers of a fleet share.
    ///
    /// @param beat the time between two heartbeats
    record Fleet(SimKafka kafka, SimPerils perils, SimSeams seams, SimShareGroup.Limits limits, Duration beat) {}

    /// @param store the worker's own view of it is made here
    /// @param lacking whether this worker cannot run some jobs
    SimWorker(SimProcess process, Fleet fleet, SimStore store, boolean lacking) {
        this.process = process;
        this.fleet = fleet;
        this.store = store;
        this.lacking = lacking;
    }

    /// Sets the schema version that it understands, and how long it defers newer commands.
    SimWorker deferring(DeferredByVersion.Rules rules) {
        deferring = rules;
        return this;
    }

    SimWorker sharing(ProjectShares.Rules rules) {
        shares = rules;
        return this;
    }

    SimWorker slots(int number) {
        slots = number;
        return this;
    }

    /// Limits the jobs that it monitors.
    SimWorker watching(int most) {
        watched = most;
        return this;
    }

    /// Its device produces non-finite numbers.
    SimWorker sick(boolean sick) {
        isDeviceSick = sick;
        return this;
    }

    /// The newest schema version that it understands.
    int schemaVersion() {
        return deferring.schemaVersion();
    }

    SimProcess process() {
        return process;
    }

    void start() {
        var _ = process.start("main", this::begin);
    }

    private void begin() {
        String id = process.name();
        SimKafka kafka = fleet.kafka();
        SimPerils perils = fleet.perils();
        SimSeams seams = fleet.seams();
        CommandRoutes routes = new CommandRoutes("", CPU);
        WorkerRules rules = new WorkerRules(
                id,
                routes,
                slots,
                Duration.ofSeconds(25),
                Duration.ofSeconds(5),
                3,
                5,
                seams.deliveryLimit(fleet.limits().deliveries()),
                deferring,
                MAX_PREEMPTIONS,
                shares,
                JobLimits.DEFAULT);
        CheckpointStore view = seams.store(perils.view(store, process));
        Outbox outbox = seams.outbox(
                perils.context(
                        new SimOutbox(kafka, process).requestTimeout(seams.requestTimeout(SimOutbox.REQUEST_TIMEOUT)),
                        process),
                process);
        EventPublisher publisher = new EventPublisher(outbox, "", id);
        FleetView seen = new FleetView(id, process.now());
        Activity activity = new Activity();
        ClaimGate gate = new ClaimGate(ClaimGate.Rules.of(fleet.beat(), Duration.ofMinutes(5)));
        WorkerContext context = new WorkerContext(
                rules, process, view, publisher, seen, activity, Tracing.OFF, new ClaimPriorities(), seams.gate(gate));
        OwnershipMonitorLoop keeping = new OwnershipMonitorLoop(
                context,
                () -> seams.log(new SimFleetLog(kafka, process), process),
                new OwnershipMonitor.Rules(8, watched));
        List<List<String>> topics = routes.sources().stream()
                .map(equals -> equals.stream().map(ShareQueue.Source::topic).toList())
                .toList();
        ClaimLoop claiming = new ClaimLoop(
                context,
                () -> seams.queue(
                        perils.context(new SimQueue(kafka, process, topics, seams.order(context.order())), process),
                        kafka,
                        process,
                        store),
                new SimTraining(process, view, lacking, seams.habits()).sick(isDeviceSick));
        Heartbeat.Self self = new Heartbeat.Self(
                id, "cpu", view.identity(), seen::since, "1.0", schemaVersion(), slots, seen::used, List::of, activity);
        Heartbeat beats = new Heartbeat(process, publisher, gate, self);
        keeping.start();
        claiming.start(keeping.ready());
        beats.start(fleet.beat());
        var _ = claiming.ended().whenComplete((_, problem) -> {
            if (problem != null) { // after a problem the process ends and starts again
                process.crash();
            }
        });
        claims = claiming;
        monitor = keeping;
        heartbeat = beats;
    }

    void stop() {
        process.world().note("stop", process.name(), 0);
        var _ = process.start("stop", () -> {
            if (claims != null && monitor != null && heartbeat != null) {
                claims.close();
                monitor.close();
                heartbeat.close();
            }
            process.crash();
        });
    }
}
