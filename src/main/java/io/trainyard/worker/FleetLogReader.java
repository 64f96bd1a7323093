package io.trainyard.worker;

import io.trainyard.event.Control;
import io.trainyard.event.EventJson;
import io.trainyard.event.WorkerStatus;
import io.trainyard.ownership.DeferredByVersion;
import io.trainyard.ownership.Ownership;
import io.trainyard.ownership.OwnershipJson;
import io.trainyard.ownership.OwnershipMonitor;
import io.trainyard.ownership.RungSchedule;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/// Dispatches the records of the topics that every worker reads: ownership, waiting commands, heartbeats. For
/// the thread that reads them; other threads use a [FleetView].
final class FleetLogReader {
    private static final System.Logger LOG = System.getLogger(FleetLogReader.class.getName());

    private final WorkerContext context;
    private final WorkerRules rules;
    private final Map<String, Topic> topics;
    private final OwnershipMonitor monitor;
    private final DeferredByVersion<DeferredRecord> deferrals;
    private final ProjectShares shares;
    private final RungSchedule rungs;
    private final PreemptionMonitor preemption;
    private final StoreWatch stores;
    private final HeartbeatBounds heartbeats;
    private final ControlBounds controlled = new ControlBounds(ControlBounds.MAX_JOBS);

    FleetLogReader(WorkerContext context, OwnershipMonitor.Rules monitorRules) {
        this.context = context;
        this.rules = context.rules();
        this.topics = Topic.byName(rules.routes().prefix());
        this.monitor = new OwnershipMonitor(
                rules.worker(), monitorRules, context.fleet().controls());
        this.deferrals = new DeferredByVersion<>(monitor, rules.deferring());
        this.shares = new ProjectShares(monitor, rules);
        this.rungs = new RungSchedule(monitor, monitorRules.beats());
        this.preemption = new PreemptionMonitor(context, monitor);
        this.stores = new StoreWatch(rules.worker(), context.store());
        this.heartbeats = new HeartbeatBounds(rules.worker());
    }

    OwnershipMonitor monitor() {
        return monitor;
    }

    DeferredByVersion<DeferredRecord> deferrals() {
        return deferrals;
    }

    RungSchedule rungs() {
        return rungs;
    }

    PreemptionMonitor preemption() {
        return preemption;
    }

    /// Publishes the current state to all threads.
    void show() {
        FleetView fleet = context.fleet();
        fleet.live(deferrals.live());
        fleet.deferred(deferrals.due(), deferrals.isFull());
        fleet.shares(shares.view(fleet.keepPermits()));
        fleet.used(shares.reported());
        heartbeats.keep(monitor.live());
        fleet.objection(stores.objection(monitor.live()), context.host().now());
    }

    /// Processes a record. Anyone can write to a topic, so unreadable records are skipped.
    ///
    /// @param fresh whether the record was written after this worker began to read
    void read(ConsumerRecord<String, byte[]> entry, boolean fresh) {
        String key = entry.key();
        Topic topic = topics.get(entry.topic());
        if (key == null || topic == null) {
            return;
        }
        byte[] body = entry.value();
        try {
            switch (topic) {
                case OWNERSHIP -> {
                    if (DeferredRecord.isKey(key)) {
                        deferral(entry);
                    } else {
                        ownership(
                                key,
                                body == null
                                        ? null
                                        : OwnershipJson.read(
                                                body, rules.deferring().schemaVersion()));
                    }
                }
                case CONTROL -> control(key, body == null ? null : EventJson.readControl(body), fresh);
                case WORKERS -> {
                    if (body != null && heartbeats.admits(key, body.length)) {
                        received(entry, EventJson.readStatus(body));
                    }
                }
                case COMMANDS_HIGH, CPU_COMMANDS_HIGH, CUDA_COMMANDS_HIGH -> preemption.command(topic, entry);
                default -> {}
            }
        } catch (IOException | RuntimeException | StackOverflowError e) { // any bytes may arrive
            LOG.log(
                    System.Logger.Level.WARNING,
                    "worker={0} cannot read topic={1} partition={2} offset={3}: {4}",
                    rules.worker(),
                    entry.topic(),
                    entry.partition(),
                    entry.offset(),
                    e.getMessage());
        }
    }

    private void ownership(String job, @Nullable Ownership ownership) {
        if (ownership == null || ownership.job().equals(job)) {
            changed(job);
            monitor.ownership(job, ownership);
            if (!rules.shares().isNone()) {
                context.fleet().ownership(job, ownership);
                shares.change();
            }
            changed(job);
            preemption.ownership(job, ownership);
        }
    }

    private void changed(String job) {
        String group = monitor.group(job);
        if (group != null) {
            rungs.changed(group);
        }
    }

    private void deferral(ConsumerRecord<String, byte[]> entry) throws IOException {
        if (entry.value() == null) {
            deferrals.remove(entry.key());
            shares.remove(entry.key());
        } else if (!shares.deferForProject(entry)) {
            deferrals.add(DeferredRecord.read(entry));
        }
    }

    private void control(String job, @Nullable Control control, boolean fresh) {
        if (control == null || control.job().equals(job)) {
            if (control == null) {
                controlled.remove(job);
            } else {
                controlled.add(job).ifPresent(oldest -> control(oldest, null, false));
            }
            monitor.control(job, control, fresh);
            changed(job);
        }
    }

    private void received(ConsumerRecord<String, byte[]> entry, WorkerStatus status) {
        String worker = entry.key();
        if (!status.worker().equals(worker)) {
            return;
        }
        if (worker.equals(rules.worker())) {
            CloudEvents.time(entry.headers())
                    .ifPresent(sent -> context.gate()
                            .timed(
                                    sent,
                                    Instant.ofEpochMilli(entry.timestamp()),
                                    context.host().now()));
        }
        stores.received(status);
        preemption.received(status);
        deferrals.received(worker, status.schemaVersion());
        if (status.stopping()) {
            monitor.stopped(worker);
        } else {
            monitor.received(worker, status.jobs());
            Map<String, Double> used = status.used();
            if (worker.equals(rules.worker())) {
                shares.beat();
            } else if (used != null) {
                shares.received(used);
            }
        }
    }
}
