package io.trainyard.forecast;

import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.WaitReason.Paused;
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
            WaitReason reason = reason(why.of(place), rooms.get(place.job().job()));
            outlooks.put(place.job().job(), new Outlook(place.job().job(), place.place(), reason, null));
            if (isTaken(reason)) {
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
                outlooks.put(job.job(), new Outlook(job.job(), 0, new Paused(), null));
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

    /// @param victim that makes room for the job; null: none does
    private static WaitReason reason(WaitReason found, @Nullable String victim) {
        boolean waits = found instanceof WaitReason.AllBusy
                || found instanceof WaitReason.BehindUrgent
                || found instanceof WaitReason.NotItsTurn;
        return victim != null && waits ? new WaitReason.MakesRoom(victim) : found;
    }

    /// Whether somebody is there who will take it.
    private static boolean isTaken(WaitReason reason) {
        return switch (reason) {
            case WaitReason.BeingTaken _,
                    WaitReason.AllBusy _,
                    WaitReason.BehindUrgent _,
                    WaitReason.MakesRoom _,
                    WaitReason.NotItsTurn _ -> true;
            case WaitReason.AtQuota held -> held.quota().most() > 0;
            case WaitReason.NoWorker _,
                    WaitReason.NoWorkerOfKind _,
                    WaitReason.AllInTrouble _,
                    WaitReason.Paused _,
                    WaitReason.NeedsNewerWorker _,
                    WaitReason.LeftAlone _ -> false;
        };
    }
}
