package io.trainyard.worker;

import io.trainyard.custody.Custody;
import io.trainyard.custody.Keeper;
import io.trainyard.custody.PreemptionRule;
import io.trainyard.custody.PreemptionRule.Room;
import io.trainyard.custody.PreemptionRule.Running;
import io.trainyard.custody.PreemptionRule.Seat;
import io.trainyard.custody.Waiting;
import io.trainyard.custody.WaitingView;
import io.trainyard.event.WorkerStatus;
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

/// Watches the urgent commands that wait, and says which of this worker's jobs make room for one: see
/// [PreemptionRule]. What the rule looks at may be late by a moment, so a command has to have waited for a little, and
/// whoever is to make room asks the share groups first whether it waits still.
///
/// Used by the thread that reads the fleet's topics.
final class Preemption {
    private static final System.Logger LOG = System.getLogger(Preemption.class.getName());

    /// Commands of a topic that are known at most, but for what comes in one answer.
    private static final int MAX_WAITING = 1000;

    /// How often it is looked, while something urgent waits.
    static final Duration LOOK = Duration.ofMillis(100);

    /// How long a free worker, and one that is just about to be free, has to take a command: it takes tens of
    /// milliseconds.
    private static final Duration PATIENCE = Duration.ofMillis(400);

    /// Who is said to be free and has not taken a command for so long will not: it stands still, or has just begun.
    private static final Duration FREE_PATIENCE = Duration.ofSeconds(10);

    private final Surroundings around;
    private final Keeper keeper;
    private final WaitingView view;
    private final Map<String, WorkerStatus> workers = new HashMap<>();
    private final Map<String, Long> sinceNanos = new HashMap<>(); // that a job waits
    private final Set<String> asked = new HashSet<>(); // of which the share groups have said that they wait
    private long lookedNanos;
    private long noPlaceNanos; // when no place was kept last

    /// @param keeper knows the custodies, and who is heard
    Preemption(Surroundings around, Keeper keeper) {
        this.around = around;
        this.keeper = keeper;
        this.view = new WaitingView(keeper, MAX_WAITING);
        this.lookedNanos = around.host().nanoTime() - LOOK.toNanos();
        this.noPlaceNanos = lookedNanos;
    }

    /// Takes in a command. What cannot be read waits for nobody's device.
    void command(Topic topic, ConsumerRecord<String, byte[]> command) {
        try {
            var job = CommandRecord.job(command, around.rules().deferring().contract());
            Priority priority =
                    Priority.of(command.topic(), around.rules().routes().prefix());
            view.add(Waiting.of(topic, command.offset(), CommandRecord.request(command, job, priority)));
        } catch (InvalidJobException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "worker={0} cannot read {1}: {2}",
                    around.rules().worker(),
                    CommandRecord.place(command),
                    e.getMessage());
        }
    }

    /// Takes in a record of `custody`, after the keeper has.
    void custody(String job, @Nullable Custody custody) {
        view.custody(job, custody);
    }

    /// Takes in a heartbeat.
    void heard(WorkerStatus status) {
        if (status.stopping()) {
            workers.remove(status.worker());
        } else {
            workers.put(status.worker(), status);
        }
    }

    /// Whether something urgent waits, so that it has to be looked again soon.
    boolean isNeeded() {
        return !sinceNanos.isEmpty();
    }

    /// Looks who makes room now, if it has not done so a moment ago.
    void look(FleetLog log) {
        long now = around.host().nanoTime();
        if (now - lookedNanos < LOOK.toNanos()) {
            return;
        }
        lookedNanos = now;
        workers.keySet().retainAll(keeper.live());
        FleetLog.URGENT.forEach(topic -> log.hold(topic, view.isFull(topic)));
        List<Waiting> waiting = waiting(now);
        List<Room> mine = rooms(waiting, now);
        Set<String> unsure = mine.stream().map(room -> room.urgent().job()).collect(Collectors.toSet());
        unsure.removeAll(asked);
        if (!unsure.isEmpty()) {
            mine = ask(log) ? rooms(waiting(now), now) : List.of();
            mine.forEach(room -> asked.add(room.urgent().job()));
        }
        List<Waiting> here = waiting.stream().filter(this::mayComeHere).toList();
        // Later the share groups have given it to another, or nobody takes it.
        around.fleet().urgent(here.stream().anyMatch(command -> !isOlder(command, FREE_PATIENCE, now)), mine);
        keepPlace(!here.isEmpty(), now);
    }

    /// Whether the share groups may hand a command to this worker, which then begins it.
    private boolean mayComeHere(Waiting command) {
        CommandRoutes routes = around.rules().routes();
        return routes.urgency(command.topic().name(routes.prefix())).isPresent() && mayBegin(command);
    }

    /// Whether its project has room: else nobody may begin it, and it needs no place.
    private boolean mayBegin(Waiting command) {
        return around.fleet().shares().standings().hasRoom(command.project());
    }

    /// A place that a job of this worker has left is kept as long as something urgent may come; but not for ever, for
    /// whatever reason none does.
    private void keepPlace(boolean mayCome, long now) {
        if (!around.order().keepsPlace()) {
            noPlaceNanos = now;
        } else if (!mayCome || now - noPlaceNanos > FREE_PATIENCE.toNanos()) {
            around.order().letGo();
        }
    }

    private List<Waiting> waiting(long now) {
        List<Waiting> waiting = view.all();
        Set<String> jobs = waiting.stream().map(Waiting::job).collect(Collectors.toSet());
        sinceNanos.keySet().retainAll(jobs);
        asked.retainAll(jobs);
        jobs.forEach(job -> sinceNanos.putIfAbsent(job, now));
        return waiting;
    }

    /// @return whether the share groups have answered
    private boolean ask(FleetLog log) {
        try {
            log.backlog().forEach((topic, backlog) -> {
                view.dealtWith(topic, backlog.start());
                view.atMost(topic, backlog.waiting());
            });
            return true;
        } catch (KafkaException | KafkaUnreachableException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "worker={0} cannot ask what waits: {1}",
                    around.rules().worker(),
                    e.getMessage());
            return false;
        }
    }

    /// Which of this worker's jobs make room.
    private List<Room> rooms(List<Waiting> waiting, long now) {
        if (waiting.isEmpty()) {
            return List.of();
        }
        boolean nobodyIsFree = waiting.stream().anyMatch(command -> isOlder(command, FREE_PATIENCE, now));
        Map<String, Long> held = new HashMap<>();
        List<Running> running = new ArrayList<>();
        for (Custody custody : keeper.held()) {
            held.merge(custody.worker(), 1L, Long::sum);
            WorkerStatus status = workers.get(custody.worker());
            if (status != null && names(status, custody)) {
                running.add(running(custody));
            }
        }
        List<Seat> seats = workers.values().stream()
                .filter(status -> status.problem() == null)
                .map(status -> seat(status, nobodyIsFree ? 0 : status.slots() - held.getOrDefault(status.worker(), 0L)))
                .toList();
        List<Waiting> able = waiting.stream().filter(this::mayBegin).toList();
        return PreemptionRule.of(able, seats, running, around.rules().maxPreemptions()).stream()
                .filter(room -> room.victim().worker().equals(around.rules().worker()))
                .filter(room -> isOlder(room.urgent(), PATIENCE, now))
                .toList();
    }

    private boolean isOlder(Waiting command, Duration time, long now) {
        return now - sinceNanos.getOrDefault(command.job(), now) >= time.toNanos();
    }

    private static Seat seat(WorkerStatus status, long free) {
        String kind = String.valueOf(status.device()).replaceFirst(":.*", ""); // whatever a stranger calls a device
        return new Seat(status.worker(), kind, status.contract(), (int) Math.clamp(free, 0, Integer.MAX_VALUE));
    }

    /// Whether the holder says itself that it has the job: one that was started anew does not.
    private static boolean names(WorkerStatus status, Custody custody) {
        return status.jobs().stream()
                .anyMatch(job ->
                        custody.job().equals(job.job()) && custody.request().attempt() == job.attempt());
    }

    private static Running running(Custody custody) {
        var request = custody.request();
        return new Running(
                custody.job(),
                request.attempt(),
                custody.worker(),
                request.priority(),
                request.job().preemptible(),
                request.timesPreempted());
    }
}
