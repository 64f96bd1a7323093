package io.trainyard.forecast;

import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.StartForecast.Start;
import io.trainyard.forecast.WaitingQueue.Place;
import io.trainyard.forecast.WhyWaiting.Reason;
import io.trainyard.ownership.PreemptionRule;
import io.trainyard.ownership.PreemptionRule.LiveWorker;
import io.trainyard.ownership.PreemptionRule.Running;
import io.trainyard.ownership.WaitingCommand;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The forecast of each waiting or paused job at a moment.
///
/// @param forecasts by job: the waiting jobs in their order, then the paused ones
public record Forecast(Map<String, StartForecast> forecasts) {
    public static final Forecast NONE = new Forecast(Map.of());

    private record Answer(Place place, Reason why) {}

    /// Computes the forecast. Deterministic for a given fleet.
    public static Forecast of(Fleet fleet) {
        WhyWaiting why = new WhyWaiting(fleet);
        List<Place> line = WaitingQueue.of(fleet, why);
        Map<String, String> victims = victims(fleet, why, line);
        List<Answer> answers = line.stream()
                .map(place ->
                        new Answer(place, why.of(place, victims.get(place.job().job()))))
                .toList();
        List<Place> taken = answers.stream()
                .filter(answer -> answer.why().ends())
                .map(Answer::place)
                .toList();
        Map<String, Start> starts = taken.isEmpty() ? Map.of() : new StartEstimator(fleet, why).of(taken, victims);
        Map<String, StartForecast> forecasts = new LinkedHashMap<>();
        for (Answer answer : answers) {
            String job = answer.place().job().job();
            Reason its = answer.why();
            forecasts.put(
                    job, new StartForecast(job, answer.place().place(), its.word(), its.sentence(), starts.get(job)));
        }
        for (JobFacts job : fleet.jobs()) {
            if (job.status() == Status.PAUSED) {
                forecasts.put(
                        job.job(), new StartForecast(job.job(), 0, "paused", "it is paused until it is resumed", null));
            }
        }
        return new Forecast(forecasts);
    }

    /// The job that each high-priority job preempts, by the workers' own rule.
    private static Map<String, String> victims(Fleet fleet, WhyWaiting why, List<Place> line) {
        List<WaitingCommand> highPriority = line.stream()
                .filter(place -> place.job().requestedPriority() == RequestedPriority.HIGH && place.held() == null)
                .map(Place::job)
                .map(job -> new WaitingCommand(
                        Topic.COMMANDS_HIGH,
                        job.offset(),
                        job.job(),
                        job.attempt() + 1,
                        Priority.HIGH,
                        job.lane(),
                        job.schemaVersion(),
                        "",
                        Set.of()))
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
                        Priority.of(job.requestedPriority()),
                        job.work() == null || !job.work().pinned(),
                        job.preemptions()))
                .toList();
        List<LiveWorker> live = fleet.workers().stream()
                .filter(worker -> worker.problem() == null)
                .map(worker -> new LiveWorker(
                        worker.worker(), WhyWaiting.kind(worker), worker.schemaVersion(), why.free(worker)))
                .toList();
        return PreemptionRule.of(highPriority, live, running, PreemptionRule.MOST).stream()
                .collect(Collectors.toMap(
                        decision -> decision.command().job(),
                        decision -> decision.victim().job()));
    }

    /// Why the next job of a device kind waits, as a text to follow "waits: ".
    ///
    /// @param wants `auto`, `reference`, or a kind
    public static String ofNext(String wants, Fleet fleet) {
        return new WhyWaiting(fleet)
                .ofNext(Priority.NAMED_KINDS.contains(wants) ? wants : "")
                .sentence();
    }

    /// The forecast of a job; null if it neither waits nor is paused.
    public @Nullable StartForecast of(String job) {
        return forecasts.get(job);
    }
}
