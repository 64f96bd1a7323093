package io.trainyard.worker;

import io.trainyard.event.WorkerStatus;
import io.trainyard.ownership.Ownership;
import io.trainyard.ownership.OwnershipMonitor;
import io.trainyard.ownership.PreemptionRule;
import io.trainyard.ownership.PreemptionRule.Decision;
import io.trainyard.ownership.PreemptionRule.LiveWorker;
import io.trainyard.ownership.PreemptionRule.Running;
import io.trainyard.ownership.WaitingCommand;
import io.trainyard.ownership.WaitingCommands;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/// Watches the waiting high-priority commands and decides which of this worker's jobs are preempted: see
/// [PreemptionRule]. Its view may be slightly late. Therefore a command must have waited for a moment, and the
/// share groups are asked before a job is preempted.
///
/// For the thread that reads the fleet's topics.
final class PreemptionMonitor {
    private static final System.Logger LOG = System.getLogger(PreemptionMonitor.class.getName());

    /// The most known commands of a topic, except for those of one more poll.
    private static final int MAX_WAITING = 1000;

    /// The interval of checks while a high-priority command waits.
    static final Duration INTERVAL = Duration.ofMillis(100);

    /// How long a free worker may take to claim a command. A claim takes tens of milliseconds.
    private static final Duration PATIENCE = Duration.ofMillis(400);

    /// A worker that is free but has not claimed a command for so long is stopped or has just started.
    private static final Duration FREE_PATIENCE = Duration.ofSeconds(10);

    private final WorkerContext context;
    private final OwnershipMonitor monitor;
    private final WaitingCommands view;
    private final Map<String, WorkerStatus> workers = new HashMap<>();
    private final Map<String, Long> sinceNanos = new HashMap<>(); // since when a job waits
    private final Set<String> confirmed = new HashSet<>(); // jobs that wait according to the share groups
    private long checkedNanos;
    private long noPlaceNanos; // when no place was reserved

    PreemptionMonitor(WorkerContext context, OwnershipMonitor monitor) {
        this.context = context;
        this.monitor = monitor;
        this.view = new WaitingCommands(monitor, MAX_WAITING);
        this.checkedNanos = context.host().nanoTime() - INTERVAL.toNanos();
        this.noPlaceNanos = checkedNanos;
    }

    /// Adds a command. An unreadable one needs no device.
    void command(Topic topic, ConsumerRecord<String, byte[]> command) {
        try {
            var job = CommandRecord.job(command, context.rules().deferring().schemaVersion());
            Priority priority =
                    Priority.of(command.topic(), context.rules().routes().prefix());
            view.add(WaitingCommand.of(topic, command.offset(), CommandRecord.request(command, job, priority)));
        } catch (InvalidJobException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "worker={0} cannot read {1}: {2}",
                    context.rules().worker(),
                    CommandRecord.place(command),
                    e.getMessage());
        }
    }

    /// Processes an ownership record, after the ownership monitor did.
    void ownership(String job, @Nullable Ownership ownership) {
        view.ownership(job, ownership);
    }

    void received(WorkerStatus status) {
        if (status.stopping()) {
            workers.remove(status.worker());
        } else {
            workers.put(status.worker(), status);
        }
    }

    /// Whether a high-priority command waits, so that the next check must come soon.
    boolean isNeeded() {
        return !sinceNanos.isEmpty();
    }

    /// Decides which jobs are preempted, unless it did so a moment ago.
    void check(FleetLog log) {
        long now = context.host().nanoTime();
        if (now - checkedNanos < INTERVAL.toNanos()) {
            return;
        }
        checkedNanos = now;
        workers.keySet().retainAll(monitor.live());
        FleetLog.HIGH_PRIORITY.forEach(topic -> log.hold(topic, view.isFull(topic)));
        List<WaitingCommand> waiting = waiting(now);
        List<Decision> mine = decisions(waiting, now);
        Set<String> unconfirmed =
                mine.stream().map(decision -> decision.command().job()).collect(Collectors.toSet());
        unconfirmed.removeAll(confirmed);
        if (!unconfirmed.isEmpty()) {
            mine = confirm(log) ? decisions(waiting(now), now) : List.of();
            mine.forEach(decision -> confirmed.add(decision.command().job()));
        }
        List<WaitingCommand> here = waiting.stream().filter(this::mayComeHere).toList();
        // After that time another worker has it, or no worker claims it.
        context.fleet()
                .highPriorityWaiting(here.stream().anyMatch(command -> !isOlder(command, FREE_PATIENCE, now)), mine);
        keepPlace(!here.isEmpty(), now);
    }

    /// Whether the share groups may deliver a command to this worker, which then begins it.
    private boolean mayComeHere(WaitingCommand command) {
        CommandRoutes routes = context.rules().routes();
        return routes.priorityIndex(command.topic().name(routes.prefix())).isPresent() && mayBegin(command);
    }

    /// Whether the project's quota allows the job. If not, no worker may begin it, and it needs no place.
    private boolean mayBegin(WaitingCommand command) {
        return context.fleet().shares().projectOrder().hasCapacity(command.project());
    }

    /// A place that a preempted job has left is kept as long as a high-priority command may arrive, within a
    /// time limit.
    private void keepPlace(boolean mayCome, long now) {
        if (!context.order().isPlaceReserved()) {
            noPlaceNanos = now;
        } else if (!mayCome || now - noPlaceNanos > FREE_PATIENCE.toNanos()) {
            context.order().releasePlaces();
        }
    }

    private List<WaitingCommand> waiting(long now) {
        List<WaitingCommand> waiting = view.all();
        Set<String> jobs = waiting.stream().map(WaitingCommand::job).collect(Collectors.toSet());
        sinceNanos.keySet().retainAll(jobs);
        confirmed.retainAll(jobs);
        jobs.forEach(job -> sinceNanos.putIfAbsent(job, now));
        return waiting;
    }

    /// @return whether the share groups have answered
    private boolean confirm(FleetLog log) {
        try {
            log.backlog().forEach((topic, backlog) -> {
                view.dealtWith(topic, backlog.start());
                view.atMost(topic, backlog.waiting());
            });
            return true;
        } catch (KafkaException | KafkaUnreachableException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "worker={0} cannot read the state of the share groups: {1}",
                    context.rules().worker(),
                    e.getMessage());
            return false;
        }
    }

    private List<Decision> decisions(List<WaitingCommand> waiting, long now) {
        if (waiting.isEmpty()) {
            return List.of();
        }
        boolean noneIsFree = waiting.stream().anyMatch(command -> isOlder(command, FREE_PATIENCE, now));
        Map<String, Long> held = new HashMap<>();
        List<Running> running = new ArrayList<>();
        for (Ownership ownership : monitor.held()) {
            held.merge(ownership.worker(), 1L, Long::sum);
            WorkerStatus status = workers.get(ownership.worker());
            if (status != null && names(status, ownership)) {
                running.add(running(ownership));
            }
        }
        List<LiveWorker> live = workers.values().stream()
                .filter(status -> status.problem() == null)
                .map(status ->
                        liveWorker(status, noneIsFree ? 0 : status.slots() - held.getOrDefault(status.worker(), 0L)))
                .toList();
        List<WaitingCommand> able = waiting.stream().filter(this::mayBegin).toList();
        return PreemptionRule.of(able, live, running, context.rules().maxPreemptions()).stream()
                .filter(decision ->
                        decision.victim().worker().equals(context.rules().worker()))
                .filter(decision -> isOlder(decision.command(), PATIENCE, now))
                .toList();
    }

    private boolean isOlder(WaitingCommand command, Duration time, long now) {
        return now - sinceNanos.getOrDefault(command.job(), now) >= time.toNanos();
    }

    private static LiveWorker liveWorker(WorkerStatus status, long free) {
        String kind = String.valueOf(status.device()).replaceFirst(":.*", ""); // any text may arrive
        return new LiveWorker(
                status.worker(), kind, status.schemaVersion(), (int) Math.clamp(free, 0, Integer.MAX_VALUE));
    }

    /// Whether the owner's heartbeat names the job; after a restart it does not.
    private static boolean names(WorkerStatus status, Ownership ownership) {
        return status.jobs().stream()
                .anyMatch(job ->
                        ownership.job().equals(job.job()) && ownership.request().attempt() == job.attempt());
    }

    private static Running running(Ownership ownership) {
        var request = ownership.request();
        return new Running(
                ownership.job(),
                request.attempt(),
                ownership.worker(),
                request.priority(),
                request.job().preemptible(),
                request.timesPreempted());
    }
}
