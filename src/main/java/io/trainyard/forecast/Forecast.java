package io.trainyard.forecast;

import io.trainyard.custody.PreemptionRule;
import io.trainyard.custody.PreemptionRule.Running;
import io.trainyard.custody.PreemptionRule.Seat;
import io.trainyard.custody.Waiting;
import io.trainyard.event.Control.Urgency;
import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.WaitingLine.Place;
import io.trainyard.forecast.WhyWaiting.Reason;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What lies before each job that waits or rests, at a moment.
///
/// @param outlooks by job; those that wait in their order, then those that rest
public record Forecast(Map<String, Outlook> outlooks, long atMillis) {
    private static final String PAUSED = "it is paused until somebody resumes it";

    /// Of nobody.
    public static final Forecast NONE = new Forecast(Map.of(), 0);

    /// Looks ahead. The same fleet gives the same.
    public static Forecast of(Fleet fleet) {
        WhyWaiting why = new WhyWaiting(fleet);
        List<Place> line = WaitingLine.of(fleet, why);
        Map<String, String> victims = victims(fleet, why, line);
        Map<String, Outlook> outlooks = new LinkedHashMap<>();
        List<Place> taken = new ArrayList<>();
        for (Place place : line) {
            String job = place.job().job();
            Reason reason = why.of(place, victims.get(job));
            outlooks.put(job, new Outlook(job, place.place(), reason.word(), reason.sentence(), null));
            if (reason.ends()) {
                taken.add(place);
            }
        }
        if (!taken.isEmpty()) {
            new Starts(fleet, why)
                    .of(taken, victims)
                    .forEach((job, start) -> outlooks.computeIfPresent(job, (_, known) -> known.with(start)));
        }
        for (JobFacts job : fleet.jobs()) {
            if (job.status() == Status.PAUSED) {
                outlooks.put(job.job(), new Outlook(job.job(), 0, "paused", PAUSED, null));
            }
        }
        return new Forecast(outlooks, fleet.nowMillis());
    }

    /// By urgent job the one that makes room for it, by the rule by which workers do.
    private static Map<String, String> victims(Fleet fleet, WhyWaiting why, List<Place> line) {
        List<Waiting> urgent = line.stream()
                .filter(place -> place.urgency() == Urgency.HIGH && place.held() == null)
                .filter(place -> place.job().work() != null)
                .map(place -> waiting(place.job()))
                .toList();
        Set<String> held = fleet.workers().stream()
                .flatMap(worker -> why.held(worker).stream())
                .collect(Collectors.toSet());
        List<Running> running = fleet.jobs().stream()
                .filter(job -> job.status() == Status.RUNNING && held.contains(job.job()))
                .map(job -> new Running(
                        job.job(),
                        job.attempt(),
                        Objects.requireNonNullElse(job.worker(), ""),
                        Priority.of(fleet.urgency(job)),
                        job.work() == null || !job.work().pinned(),
                        job.preemptions()))
                .toList();
        List<Seat> seats = fleet.workers().stream()
                .filter(worker -> worker.problem() == null)
                .map(worker -> new Seat(worker.worker(), WhyWaiting.kind(worker), worker.contract(), why.free(worker)))
                .toList();
        return PreemptionRule.of(urgent, seats, running, PreemptionRule.MOST).stream()
                .collect(Collectors.toMap(
                        room -> room.urgent().job(), room -> room.victim().job()));
    }

    private static Waiting waiting(JobFacts job) {
        return new Waiting(
                Topic.COMMANDS_HIGH,
                job.offset(),
                job.job(),
                job.attempt() + 1,
                Priority.HIGH,
                job.lane(),
                job.contract(),
                "",
                Set.of());
    }

    /// Why the next job waits of those that ask for a kind of device, whichever it is, after "waits: ".
    ///
    /// @param wants `auto`, `reference`, or a kind
    public static String ofNext(String wants, Fleet fleet) {
        return new WhyWaiting(fleet)
                .ofNext(Priority.NAMED_KINDS.contains(wants) ? wants : "")
                .sentence();
    }

    /// What lies before a job; null where it neither waits nor rests, as far as was known.
    public @Nullable Outlook of(String job) {
        return outlooks.get(job);
    }
}
