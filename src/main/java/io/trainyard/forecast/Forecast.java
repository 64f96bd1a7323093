package io.trainyard.forecast;

import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.WaitingLine.Place;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What lies before each job that waits or rests, at a moment.
///
/// @param outlooks by job; those that wait in their order, then those that rest
public record Forecast(Map<String, Outlook> outlooks, long atMillis) {
    /// Of nobody.
    public static final Forecast NONE = new Forecast(Map.of(), 0);

    /// Looks ahead. The same fleet gives the same.
    public static Forecast of(Fleet fleet) {
        WhyWaiting why = new WhyWaiting(fleet);
        Map<String, Outlook> outlooks = new LinkedHashMap<>();
        Projects projects = new Projects(fleet);
        List<Place> line = WaitingLine.of(fleet, why.allKinds(), projects);
        Map<String, String> rooms = Rooms.of(fleet, line);
        List<Place> taken = new ArrayList<>();
        for (Place place : line) {
            WaitReason found = why.of(place);
            String victim = rooms.get(place.job().job());
            WaitReason reason = victim != null && found.isForOthers() ? WaitReason.makesRoom(victim) : found;
            outlooks.put(place.job().job(), new Outlook(place.job().job(), place.place(), reason, null));
            if (reason.ends()) {
                taken.add(place);
            }
        }
        if (!taken.isEmpty()) {
            new Starts(fleet, projects, why)
                    .of(taken, rooms)
                    .forEach((job, start) -> outlooks.computeIfPresent(
                            job, (_, known) -> new Outlook(job, known.place(), known.reason(), start)));
        }
        for (JobFacts job : fleet.jobs()) {
            if (job.status() == Status.PAUSED) {
                outlooks.put(job.job(), new Outlook(job.job(), 0, WaitReason.PAUSED, null));
            }
        }
        return new Forecast(outlooks, fleet.nowMillis());
    }

    /// Why the next job waits of those that ask for a kind of device, whichever it is.
    ///
    /// @param wants `auto`, `reference`, or a kind
    public static WaitReason ofNext(String wants, Fleet fleet) {
        return new WhyWaiting(fleet).ofNext(Lane.of(wants));
    }

    /// What lies before a job; null where it neither waits nor rests, as far as was known.
    public @Nullable Outlook of(String job) {
        return outlooks.get(job);
    }
}
