package io.trainyard.ownership;

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

/// Commands that are deferred on `ownership` because it was another project's turn when a worker received them,
/// or because their project's quota was used up. Every worker knows all of them. Not thread-safe.
public final class DeferredByProject<C> {
    /// Limits in number and bytes beyond which no worker defers more. Several workers may defer at the same
    /// time, so up to [#SPARE] times as much is kept.
    public static final int MAX_COMMANDS = 10_000;

    static final long MAX_BYTES = 16 << 20;
    private static final int SPARE = 2;

    /// A deferred command.
    ///
    /// @param key of its record in the topic `ownership`
    /// @param topic where it was delivered, by its full name
    /// @param since the offset on `ownership`
    public record DeferredEntry<C>(
            String key,
            String job,
            String project,
            Priority priority,
            String topic,
            long offset,
            long since,
            int bytes,
            C command) {}

    /// The commands that follow one another in a topic.
    private record Line(Priority priority, String project, String topic) {
        static Line of(DeferredEntry<?> command) {
            return new Line(command.priority(), command.project(), command.topic());
        }
    }

    private final Map<String, DeferredEntry<C>> commands = new HashMap<>();
    private final Map<Line, TreeMap<Long, DeferredEntry<C>>> lines = new LinkedHashMap<>();
    private long bytes;

    public void add(DeferredEntry<C> command) {
        remove(command.key());
        if (commands.size() < SPARE * MAX_COMMANDS && bytes + command.bytes() <= SPARE * MAX_BYTES) {
            commands.put(command.key(), command);
            lines.computeIfAbsent(Line.of(command), _ -> new TreeMap<>()).put(command.offset(), command);
            bytes += command.bytes();
        }
    }

    /// Removes a command.
    ///
    /// @return whether it was deferred
    public boolean remove(String key) {
        DeferredEntry<C> known = commands.remove(key);
        if (known != null) {
            bytes -= known.bytes();
            Line line = Line.of(known);
            TreeMap<Long, DeferredEntry<C>> its = lines.getOrDefault(line, new TreeMap<>());
            its.remove(known.offset());
            if (its.isEmpty()) {
                lines.remove(line);
            }
        }
        return known != null;
    }

    public boolean isFull() {
        return commands.size() >= MAX_COMMANDS || bytes >= MAX_BYTES;
    }

    public int size() {
        return commands.size();
    }

    /// The first commands of each project, priority and topic, up to a number of each.
    ///
    /// @param others jobs that may be claimed in any position
    public List<DeferredEntry<C>> first(int most, Set<String> others) {
        Stream<DeferredEntry<C>> first =
                lines.values().stream().flatMap(line -> line.values().stream().limit(most));
        Stream<DeferredEntry<C>> listed = others.isEmpty()
                ? Stream.empty()
                : commands.values().stream().filter(command -> others.contains(command.job()));
        return Stream.concat(first, listed).distinct().toList();
    }

    /// Orders commands as they were submitted: those of one topic by offset; of several topics the one with the
    /// oldest deferral comes first. So each command keeps its place, regardless of when workers received it.
    public static <C> Optional<DeferredEntry<C>> oldest(Stream<DeferredEntry<C>> commands) {
        Map<String, DeferredEntry<C>> heads = new HashMap<>();
        commands.forEach(one ->
                heads.merge(one.topic(), one, (first, other) -> other.offset() < first.offset() ? other : first));
        return heads.values().stream().min(Comparator.comparingLong(DeferredEntry::since));
    }
}
