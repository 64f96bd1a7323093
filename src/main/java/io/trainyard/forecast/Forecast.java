package io.trainyard.forecast;

import io.trainyard.event.Control.Urgency;
import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.WaitReason.Paused;
import io.trainyard.forecast.WaitingLine.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What lies before each job that waits or rests, at a moment.
///
/// @param outlooks by job; those that wait in their order, then those that rest
public record Forecast(Map<String, Outlook> outlooks, long atMillis) {
    /// So many draws times jobs at most, so that a long line takes no longer than a fraction of a second.
    private static final int MAX_PLACED = 1_500_000;

    private static final int MIN_DRAWS = 120;
    private static final int MAX_DRAWS = 400;

    /// The interval leaves out as much at either end.
    private static final double TAIL = 0.05;

    /// Of nobody.
    public static final Forecast NONE = new Forecast(Map.of(), 0);

    /// Looks ahead. The same fleet gives the same.
    public static Forecast of(Fleet fleet) {
        WhyWaiting why = new WhyWaiting(fleet);
        Map<String, Outlook> outlooks = new LinkedHashMap<>();
        List<Place> line = WaitingLine.of(fleet, why.allKinds());
        List<Place> taken = new ArrayList<>();
        for (Place place : line) {
            WaitReason reason = why.of(place);
            outlooks.put(place.job().job(), new Outlook(place.job().job(), place.place(), reason, null));
            if (isTaken(reason)) {
                taken.add(place);
            }
        }
        if (!taken.isEmpty()) {
            estimate(fleet, why, taken, outlooks);
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

    /// Whether somebody is there who will take it.
    private static boolean isTaken(WaitReason reason) {
        return switch (reason) {
            case WaitReason.BeingTaken _, WaitReason.AllBusy _, WaitReason.BehindUrgent _ -> true;
            case WaitReason.NoWorker _,
                    WaitReason.NoWorkerOfKind _,
                    WaitReason.AllInTrouble _,
                    WaitReason.Paused _,
                    WaitReason.AtQuota _,
                    WaitReason.NeedsNewerWorker _,
                    WaitReason.LeftAlone _ -> false;
        };
    }

    private static void estimate(Fleet fleet, WhyWaiting why, List<Place> line, Map<String, Outlook> outlooks) {
        PaceModel pace = new PaceModel(fleet.jobs());
        List<Slot> slots = new Slots(fleet, pace).of(why);
        List<Arrivals> arrivals = arrivals(fleet, slots.getFirst().kind(), pace);
        Schedule schedule = new Schedule(line, slots, arrivals, pace, new EarlyEnds(fleet.jobs()));
        int draws = Math.clamp(MAX_PLACED / line.size(), MIN_DRAWS, MAX_DRAWS);
        float[][] starts = schedule.draw(draws);
        for (int i = 0; i < line.size(); i++) {
            String job = line.get(i).job().job();
            StartEstimate start = estimate(starts[i]);
            outlooks.computeIfPresent(job, (_, known) -> new Outlook(job, known.place(), known.reason(), start));
        }
    }

    private static StartEstimate estimate(float[] seconds) {
        Arrays.sort(seconds);
        return new StartEstimate(millis(seconds, TAIL), millis(seconds, 0.5), millis(seconds, 1 - TAIL));
    }

    private static long millis(float[] sorted, double quantile) {
        double at = quantile * sorted.length - 0.5;
        int below = Math.clamp((int) Math.floor(at), 0, sorted.length - 1);
        int above = Math.min(below + 1, sorted.length - 1);
        double part = Math.clamp(at - below, 0, 1);
        double seconds =
                sorted[below] == sorted[above] ? sorted[below] : sorted[below] * (1 - part) + sorted[above] * part;
        return Math.min(StartEstimate.FAR_MILLIS, Math.round(1e3 * seconds));
    }

    /// What more urgent jobs come is as it was: only what may overtake those that wait is of interest.
    private static List<Arrivals> arrivals(Fleet fleet, String kind, PaceModel pace) {
        Map<Urgency, Map<Lane, List<JobFacts>>> asked = new EnumMap<>(Urgency.class);
        for (JobFacts job : fleet.jobs()) {
            if (job.command() != null) {
                asked.computeIfAbsent(
                                WaitingLine.urgency(job.command(), fleet.prefix()), _ -> new EnumMap<>(Lane.class))
                        .computeIfAbsent(WaitingLine.lane(job), _ -> new ArrayList<>())
                        .add(job);
            }
        }
        List<Arrivals> arrivals = new ArrayList<>();
        asked.forEach((urgency, lanes) -> lanes.forEach((lane, jobs) -> {
            String runsOn = lane == Lane.COMMON ? kind : lane.kind();
            arrivals.add(Arrivals.of(new Arrivals.Which(urgency, lane, runsOn), jobs, pace, fleet.nowMillis()));
        }));
        return arrivals;
    }
}
