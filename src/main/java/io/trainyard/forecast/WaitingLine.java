package io.trainyard.forecast;

import io.trainyard.event.Control.Urgency;
import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.WaitReason.AtQuota;
import io.trainyard.topics.Priority;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The jobs that wait for a worker, in the order in which workers take them: the most urgent first, then as their
/// commands are on their topic, and those of the two topics that a worker looks at side by side as they were sent.
final class WaitingLine {
    private static final String OFFSET = " at offset ";

    /// A job in the line.
    ///
    /// @param place 1: the next that is taken by the workers that it waits for; 0: it is taken by nobody yet
    /// @param urgentBefore how many of those that come before it are more urgent
    /// @param held why it is taken by nobody yet, though workers be free; null: it is
    record Place(
            JobFacts job,
            Urgency urgency,
            Lane lane,
            int place,
            int urgentBefore,
            @Nullable AtQuota held) {}

    private record Entry(JobFacts job, Urgency urgency, Lane lane, long offset, long sentMillis) {
        private Entry(JobFacts job, String prefix) {
            this(
                    job,
                    WaitingLine.urgency(job.command(), prefix),
                    WaitingLine.lane(job),
                    WaitingLine.offset(job.command()),
                    sent(job));
        }

        private static long sent(JobFacts job) {
            return job.commandMillis() > 0 ? job.commandMillis() : job.heardMillis();
        }

        Entry notBefore(long millis) {
            return new Entry(job, urgency, lane, offset, Math.max(millis, sentMillis));
        }
    }

    private record Topic(Urgency urgency, Lane lane) {}

    private WaitingLine() {}

    /// @param kinds of device that workers have
    static List<Place> of(Fleet fleet, Set<String> kinds) {
        Map<Topic, List<Entry>> topics = new HashMap<>();
        for (JobFacts job : fleet.jobs()) {
            if (job.status() == Status.QUEUED) {
                Entry entry = new Entry(job, fleet.prefix());
                topics.computeIfAbsent(new Topic(entry.urgency(), entry.lane()), _ -> new ArrayList<>())
                        .add(entry);
            }
        }
        List<Entry> order = new ArrayList<>();
        topics.values().forEach(topic -> order.addAll(inTheirOrder(topic)));
        order.sort(Comparator.comparing(Entry::urgency)
                .thenComparingLong(Entry::sentMillis)
                .thenComparing(Entry::lane)
                .thenComparingLong(Entry::offset)
                .thenComparing(entry -> entry.job().job()));
        return places(order, kinds, new ProjectRoom(fleet));
    }

    /// Clocks of those who sent them differ: on a topic nobody is before who stands behind.
    private static List<Entry> inTheirOrder(List<Entry> topic) {
        topic.sort(Comparator.comparingLong(Entry::offset)
                .thenComparingLong(Entry::sentMillis)
                .thenComparing(entry -> entry.job().job()));
        List<Entry> ordered = new ArrayList<>();
        long millis = Long.MIN_VALUE;
        for (Entry entry : topic) {
            Entry next = entry.notBefore(millis);
            millis = next.sentMillis();
            ordered.add(next);
        }
        return ordered;
    }

    private static List<Place> places(List<Entry> order, Set<String> kinds, ProjectRoom room) {
        List<Place> places = new ArrayList<>();
        Map<Lane, Integer> before = new EnumMap<>(Lane.class);
        Map<Lane, Integer> urgentBefore = new EnumMap<>(Lane.class);
        Urgency urgency = Urgency.HIGH;
        for (Entry entry : order) {
            if (entry.urgency() != urgency) {
                urgency = entry.urgency();
                urgentBefore = new EnumMap<>(before);
            }
            AtQuota held = room.take(entry.job());
            if (held != null) {
                places.add(new Place(entry.job(), urgency, entry.lane(), 0, 0, held));
                continue;
            }
            Set<Lane> rivals = rivals(entry.lane(), kinds);
            int place = 1 + sum(before, rivals);
            places.add(new Place(entry.job(), urgency, entry.lane(), place, sum(urgentBefore, rivals), null));
            before.merge(entry.lane(), 1, Integer::sum);
        }
        return places;
    }

    /// The lanes that are looked at by workers that look at this one.
    private static Set<Lane> rivals(Lane lane, Set<String> kinds) {
        Set<Lane> rivals = EnumSet.of(Lane.COMMON, lane);
        if (lane == Lane.COMMON) {
            for (Lane other : Lane.values()) {
                if (WorkerFacts.looksAt(other, kinds)) {
                    rivals.add(other);
                }
            }
        }
        return rivals;
    }

    private static int sum(Map<Lane, Integer> counts, Set<Lane> lanes) {
        return lanes.stream().mapToInt(lane -> counts.getOrDefault(lane, 0)).sum();
    }

    static Lane lane(JobFacts job) {
        return job.work() == null ? Lane.COMMON : Lane.of(job.work().wants());
    }

    /// How urgent a command is by its topic; normal where that is not known.
    static Urgency urgency(@Nullable String command, String prefix) {
        String place = Objects.requireNonNullElse(command, "");
        int end = place.lastIndexOf(OFFSET);
        int dash = end < 0 ? -1 : place.lastIndexOf('-', end);
        if (dash < 0) {
            return Urgency.NORMAL;
        }
        try {
            return Priority.of(place.substring(0, dash), prefix).urgency();
        } catch (IllegalArgumentException _) { // another fleet's, or a later version's
            return Urgency.NORMAL;
        }
    }

    private static long offset(@Nullable String command) {
        String place = Objects.requireNonNullElse(command, "");
        int end = place.lastIndexOf(OFFSET);
        try {
            return end < 0 ? 0 : Long.parseLong(place.substring(end + OFFSET.length()));
        } catch (NumberFormatException _) {
            return 0;
        }
    }
}
