package io.trainyard.custody;

import io.trainyard.custody.Custody.State;
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

/// Which commands wait for a worker, as whoever reads their topics beside `custody` knows it: a command waits until
/// its job is in custody, or has ended. Of each topic the oldest are known, up to a limit; whoever reads stops reading
/// where it is full ([#isFull]), so that neither memory nor traffic grows with the queue.
///
/// A command that is dealt with otherwise, as by a dead letter, comes into no custody. So what is known here may be
/// too much, never too little but for the limit, until the share group tells ([#dealtWith], [#atMost]); whoever acts
/// on it asks that first. Not thread-safe.
///
/// A second copy of a command, as of a client that submitted its job again, waits for nothing if the job has ended, but
/// the share group has it until a worker is free. So the jobs that ended last are remembered.
public final class WaitingView {
    private static final int MAX_ENDED = 10_000;

    private final Keeper keeper;
    private final int most;
    private final Map<Topic, TreeMap<Long, Waiting>> commands = new EnumMap<>(Topic.class);
    private final LinkedHashSet<String> ended = new LinkedHashSet<>(); // the newest last

    /// @param keeper knows the custodies; it is told of each before this is
    /// @param most commands of a topic from which on it is full
    public WaitingView(Keeper keeper, int most) {
        this.keeper = keeper;
        this.most = most;
    }

    /// A command was read from its topic.
    public void add(Waiting command) {
        Custody custody = keeper.custody(command.job());
        if (custody == null ? !ended.contains(command.job()) : !settles(custody, command)) {
            of(command.topic()).put(command.offset(), command);
        }
    }

    /// Takes in a record of the topic `custody`.
    ///
    /// @param told null: the job has ended
    public void custody(String job, @Nullable Custody told) {
        Custody known = keeper.custody(job); // which may be newer than what comes late
        Custody custody = known == null ? told : known;
        ended.remove(job);
        if (custody == null) {
            ended.add(job);
            if (ended.size() > MAX_ENDED) {
                ended.removeFirst();
            }
        }
        for (Map<Long, Waiting> topic : commands.values()) {
            topic.values()
                    .removeIf(command -> command.job().equals(job) && (custody == null || settles(custody, command)));
        }
    }

    /// Whether who has the job needs the command no more: it is held, or rests, or a later attempt waits.
    private static boolean settles(Custody custody, Waiting command) {
        int attempt = custody.request().attempt();
        return custody.state() == State.WAITING ? command.attempt() < attempt : command.attempt() <= attempt;
    }

    /// The share group hands out nothing of a topic that is before an offset.
    public void dealtWith(Topic topic, long start) {
        of(topic).headMap(start).clear();
    }

    /// The share group says how many commands of a topic wait: the newest, for it hands out the oldest first.
    public void atMost(Topic topic, long count) {
        TreeMap<Long, Waiting> known = of(topic);
        while (known.size() > count) {
            known.pollFirstEntry();
        }
    }

    /// Whether more of a topic are not to be read at present.
    public boolean isFull(Topic topic) {
        return of(topic).size() >= most;
    }

    /// What waits, the most urgent first, and of those that are as urgent as one another the one with the lowest
    /// offset; each job once.
    public List<Waiting> all() {
        List<Waiting> all = new ArrayList<>();
        commands.values().forEach(topic -> all.addAll(topic.values()));
        all.sort(Comparator.comparing(Waiting::priority)
                .thenComparingLong(Waiting::offset)
                .thenComparing(Waiting::topic));
        Set<String> jobs = new HashSet<>();
        all.removeIf(command -> !jobs.add(command.job()));
        return all;
    }

    private TreeMap<Long, Waiting> of(Topic topic) {
        return commands.computeIfAbsent(topic, _ -> new TreeMap<>());
    }
}
