package io.trainyard.custody;

import io.trainyard.topics.Priority;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Commands that wait beside their topics, on `custody`, because it was another project's turn when a worker was handed
/// them, or their own had its quota. Every worker knows all of them. Not thread-safe.
///
/// @param <C> what is known of a command besides
public final class Parking<C> {
    /// How many may wait so before no worker adds another, and how many bytes they may have. What several add at a time
    /// may be more, and is kept all the same, up to [#SPARE] times as much.
    public static final int MAX_COMMANDS = 10_000;

    static final long MAX_BYTES = 16 << 20;
    private static final int SPARE = 2;

    /// A command that waits.
    ///
    /// @param key its own, of the topic `custody`
    /// @param topic where it was handed out, by its full name
    /// @param offset where it was there
    /// @param since the offset on `custody`
    /// @param bytes of memory that it takes
    public record Parked<C>(
            String key,
            String job,
            String project,
            Priority priority,
            String topic,
            long offset,
            long since,
            int bytes,
            C command) {}

    /// Those that come one after another in a topic.
    private record Line(Priority priority, String project, String topic) {
        static Line of(Parked<?> command) {
            return new Line(command.priority(), command.project(), command.topic());
        }
    }

    private final Map<String, Parked<C>> commands = new HashMap<>();
    private final Map<Line, TreeMap<Long, Parked<C>>> lines = new LinkedHashMap<>();
    private long bytes;

    /// A command waits.
    public void add(Parked<C> command) {
        remove(command.key());
        if (commands.size() < SPARE * MAX_COMMANDS && bytes + command.bytes() <= SPARE * MAX_BYTES) {
            commands.put(command.key(), command);
            lines.computeIfAbsent(Line.of(command), _ -> new TreeMap<>()).put(command.offset(), command);
            bytes += command.bytes();
        }
    }

    /// A command waits no more.
    ///
    /// @return whether it did
    public boolean remove(String key) {
        Parked<C> known = commands.remove(key);
        if (known != null) {
            bytes -= known.bytes();
            Line line = Line.of(known);
            TreeMap<Long, Parked<C>> its = lines.getOrDefault(line, new TreeMap<>());
            its.remove(known.offset());
            if (its.isEmpty()) {
                lines.remove(line);
            }
        }
        return known != null;
    }

    /// Whether so many wait that no worker may add another.
    public boolean isFull() {
        return commands.size() >= MAX_COMMANDS || bytes >= MAX_BYTES;
    }

    /// How many wait.
    public int size() {
        return commands.size();
    }

    /// The first of each project, urgency and topic, those that may be taken next: no more than so many of each.
    ///
    /// @param others jobs that may be taken, too, wherever they stand
    public List<Parked<C>> first(int most, Set<String> others) {
        Stream<Parked<C>> first =
                lines.values().stream().flatMap(line -> line.values().stream().limit(most));
        Stream<Parked<C>> besides = others.isEmpty()
                ? Stream.empty()
                : commands.values().stream().filter(command -> others.contains(command.job()));
        return Stream.concat(first, besides).distinct().toList();
    }

    /// Commands in the order in which they were asked for: those of one topic as they stood there, and of several
    /// topics first the one whose oldest was parked first. So each keeps its place, whoever was handed it when.
    public static <C> Optional<Parked<C>> oldest(Stream<Parked<C>> commands) {
        Map<String, Parked<C>> heads = new HashMap<>();
        commands.forEach(one ->
                heads.merge(one.topic(), one, (first, other) -> other.offset() < first.offset() ? other : first));
        return heads.values().stream().min(Comparator.comparingLong(Parked::since));
    }
}
