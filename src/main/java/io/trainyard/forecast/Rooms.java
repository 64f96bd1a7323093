package io.trainyard.forecast;

import io.trainyard.custody.PreemptionRule;
import io.trainyard.custody.PreemptionRule.Running;
import io.trainyard.custody.PreemptionRule.Seat;
import io.trainyard.custody.Waiting;
import io.trainyard.event.Control.Urgency;
import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.WaitingLine.Place;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// Which jobs make room for which urgent ones that wait, by the rule by which workers do.
final class Rooms {
    private Rooms() {}

    /// @param line those that wait, in their order
    /// @return by urgent job the one that makes room for it
    static Map<String, String> of(Fleet fleet, List<Place> line) {
        List<Waiting> urgent = line.stream()
                .filter(place -> place.urgency() == Urgency.HIGH && place.held() == null)
                .filter(place -> place.job().work() != null)
                .map(Rooms::waiting)
                .toList();
        if (urgent.isEmpty()) {
            return Map.of();
        }
        Set<String> held = new HashSet<>();
        fleet.workers().forEach(worker -> held.addAll(worker.jobs()));
        List<Running> running = fleet.jobs().stream()
                .filter(job -> job.status() == Status.RUNNING && held.contains(job.job()))
                .map(job -> running(job, fleet.prefix()))
                .toList();
        List<Seat> seats = fleet.workers().stream()
                .filter(worker -> worker.trouble() == null)
                .map(worker -> new Seat(worker.worker(), worker.kind(), worker.contract(), worker.free()))
                .toList();
        Map<String, String> rooms = new HashMap<>();
        PreemptionRule.of(urgent, seats, running, PreemptionRule.MOST)
                .forEach(room -> rooms.put(room.urgent().job(), room.victim().job()));
        return rooms;
    }

    private static Waiting waiting(Place place) {
        JobFacts job = place.job();
        return new Waiting(
                Topic.COMMANDS_HIGH,
                place.place(),
                job.job(),
                job.attempt() + 1,
                Priority.HIGH,
                Objects.requireNonNull(job.work()).wants(),
                job.contract(),
                "",
                Set.of());
    }

    /// A job as the rule knows it once a worker has it.
    static Running running(JobFacts job, String prefix) {
        return new Running(
                job.job(),
                job.attempt(),
                job.worker() == null ? "" : job.worker(),
                Priority.of(WaitingLine.urgency(job.command(), prefix)),
                job.work() == null || !job.work().pinned(),
                job.preemptions());
    }
}
