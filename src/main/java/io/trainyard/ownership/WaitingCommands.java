package io.trainyard.ownership;

import io.trainyard.ownership.Ownership.State;
import io.trainyard.topics.Topic;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The waiting commands of some topics, according to those topics and `ownership`: a command waits until its job
/// has an owner or has ended. The oldest of each topic are kept, up to a limit; the reader pauses a full topic
/// ([#isFull]), so neither memory nor traffic grows with the queue.
///
/// A command that was disposed of in another way, such as a dead letter, never has an owner. So this view may
/// contain too many commands, and too few only because of the limit, until the share group's state is taken
/// into account ([#dealtWith], [#atMost]). Callers do that before they act on it. Not thread-safe.
///
/// If a client submits a job twice, the second command waits in the share group until a worker is free, even if
/// the job has ended. Therefore the newest ended jobs are remembered.
public final class WaitingCommands {
    private static final int MAX_ENDED = 10_000;

    private final OwnershipMonitor monitor;
    private final int most;
    private final Map<Topic, TreeMap<Long, WaitingCommand>> commands = new EnumMap<>(Topic.class);
    private final LinkedHashSet<String> ended = new LinkedHashSet<>(); // the newest last

    /// @param monitor knows the owners; it processes each record before this does
    /// @param most commands of a topic at which it is full
    public WaitingCommands(OwnershipMonitor monitor, int most) {
        this.monitor = monitor;
        this.most = most;
    }

    public void add(WaitingCommand command) {
        Ownership ownership = monitor.ownership(command.job());
        if (ownership == null ? !ended.contains(command.job()) : !settles(ownership, command)) {
            of(command.topic()).put(command.offset(), command);
        }
    }

    /// Processes a record of the topic `ownership`.
    ///
    /// @param received null if the job has ended
    public void ownership(String job, @Nullable Ownership received) {
        Ownership known = monitor.ownership(job); // may be newer than a late record
        Ownership ownership = known == null ? received : known;
        ended.remove(job);
        if (ownership == null) {
            ended.add(job);
            if (ended.size() > MAX_ENDED) {
                ended.removeFirst();
            }
        }
        for (Map<Long, WaitingCommand> topic : commands.values()) {
            topic.values()
                    .removeIf(
                            command -> command.job().equals(job) && (ownership == null || settles(ownership, command)));
        }
    }

    /// Whether the ownership makes the command obsolete: the job has an owner or is paused, or a later attempt
    /// waits.
    private static boolean settles(Ownership ownership, WaitingCommand command) {
        int attempt = ownership.request().attempt();
        return ownership.state() == State.WAITING ? command.attempt() < attempt : command.attempt() <= attempt;
    }

    /// The share group delivers nothing of a topic before an offset.
    public void dealtWith(Topic topic, long start) {
        of(topic).headMap(start).clear();
    }

    /// The number of commands of a topic that wait in the share group: the newest ones, because it delivers the
    /// oldest first.
    public void atMost(Topic topic, long count) {
        TreeMap<Long, WaitingCommand> known = of(topic);
        while (known.size() > count) {
            known.pollFirstEntry();
        }
    }

    /// Whether a topic must not be read further at present.
    public boolean isFull(Topic topic) {
        return of(topic).size() >= most;
    }

    /// The waiting commands, by priority and then by offset; one per job.
    public List<WaitingCommand> all() {
        List<WaitingCommand> all = new ArrayList<>();
        commands.values().forEach(topic -> all.addAll(topic.values()));
        all.sort(Comparator.comparing(WaitingCommand::priority)
                .thenComparingLong(WaitingCommand::offset)
                .thenComparing(WaitingCommand::topic));
        Set<String> jobs = new HashSet<>();
        all.removeIf(command -> !jobs.add(command.job()));
        return all;
    }

    private TreeMap<Long, WaitingCommand> of(Topic topic) {
        return commands.computeIfAbsent(topic, _ -> new TreeMap<>());
    }
}
