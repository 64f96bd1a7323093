package io.trainyard.forecast;

import io.trainyard.event.Control.Urgency;
import io.trainyard.event.JobState.Status;
import io.trainyard.share.Turns;
import io.trainyard.topics.Priority;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The jobs that wait for a worker, in the order in which workers take them: the most urgent first, then as their
/// commands are on their topic, and those of the two topics that a worker looks at side by side as they were sent.
final class WaitingLine {
    private static final String OFFSET = " at offset ";

    /// A job in the line.
    ///
    /// @param place 1: the next that is taken by the workers that it waits for; 0: it is taken by nobody yet
    /// @param urgentBefore how many of those that come before it are more urgent
    /// @param turn whose it is of those that come before it, though they were asked for later; null: nobody's
    /// @param held why it is taken by nobody yet, though workers be free; null: it is
    record Place(
            JobFacts job,
            Urgency urgency,
            Lane lane,
            int project,
            int place,
            int urgentBefore,
            @Nullable String turn,
            @Nullable WaitReason held) {}

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
    static List<Place> of(Fleet fleet, Set<String> kinds, Projects projects) {
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
        return new Placing(kinds, projects).of(order);
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

    /// A job of one urgency, and how many were asked for before it.
    private record Asked(Entry entry, int number) {}

    /// Gives them their places: among those that are as urgent as one another projects have their turns, as if nothing
    /// of them ended meanwhile.
    private static final class Placing {
        private final Set<String> kinds;
        private final Projects projects;
        private final Turns turns;
        private final List<Place> places = new ArrayList<>();
        private final Map<Lane, Integer> before = new EnumMap<>(Lane.class);
        private final Map<Lane, Asked> latest = new EnumMap<>(Lane.class); // of those with places
        private Map<Lane, Integer> urgentBefore = new EnumMap<>(Lane.class);

        Placing(Set<String> kinds, Projects projects) {
            this.kinds = kinds;
            this.projects = projects;
            this.turns = projects.turns();
        }

        List<Place> of(List<Entry> order) {
            int from = 0;
            for (int to = 1; to <= order.size(); to++) {
                if (to == order.size()
                        || order.get(to).urgency() != order.get(from).urgency()) {
                    urgentBefore = new EnumMap<>(before);
                    latest.clear();
                    placeAlike(order.subList(from, to));
                    from = to;
                }
            }
            return places;
        }

        private void placeAlike(List<Entry> alike) {
            Map<Integer, Deque<Asked>> waiting = new TreeMap<>();
            boolean[] has = new boolean[projects.count()];
            for (int i = 0; i < alike.size(); i++) {
                int project = projects.of(alike.get(i).job());
                has[project] = true;
                waiting.computeIfAbsent(project, _ -> new ArrayDeque<>()).addLast(new Asked(alike.get(i), i));
            }
            for (int project = turns.next(has); project >= 0; project = turns.next(has)) {
                Deque<Asked> its = waiting.getOrDefault(project, new ArrayDeque<>());
                Asked next = its.removeFirst();
                has[project] = !its.isEmpty();
                turns.begin(project, Projects.devices(next.entry().job()));
                place(next, project);
            }
            waiting.forEach((project, left) -> left.forEach(one -> hold(one.entry(), project)));
        }

        private void place(Asked asked, int project) {
            Entry entry = asked.entry();
            Set<Lane> rivals = rivals(entry.lane(), kinds);
            String turn = latest.values().stream()
                    .filter(last -> last.number() > asked.number()
                            && rivals.contains(last.entry().lane()))
                    .max(Comparator.comparingInt(Asked::number))
                    .map(last -> projects.name(projects.of(last.entry().job())))
                    .orElse(null);
            int place = 1 + sum(before, rivals);
            places.add(new Place(
                    entry.job(), entry.urgency(), entry.lane(), project, place, sum(urgentBefore, rivals), turn, null));
            before.merge(entry.lane(), 1, Integer::sum);
            latest.merge(entry.lane(), asked, (one, other) -> one.number() > other.number() ? one : other);
        }

        private void hold(Entry entry, int project) {
            places.add(new Place(
                    entry.job(), entry.urgency(), entry.lane(), project, 0, 0, null, projects.atQuota(project)));
        }
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
