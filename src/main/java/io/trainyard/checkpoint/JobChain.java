package io.trainyard.checkpoint;

import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.ChainLink.Pause;
import io.trainyard.checkpoint.CheckpointLineage.From;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A job's compare-and-set chain, and the records of its attempts next to it, read in one listing
/// of `<job>/attempts`.
///
///     <n>                            created once: a link
///     <n>.from-<step>-<attempt>      the checkpoint that attempt n resumed from; `<n>.from-none`: it began at step 1
///     <n>.started                    attempt n trains; deleted when it stops in an orderly way
///     <n>.preempted                  attempt n was preempted
///
/// Link `n` names the owner of attempt `n`, or ends the job, or pauses it. Ending, pausing and taking over a
/// job compete for the same key, which the store creates once. Therefore a superseded owner can do none of
/// them, however late its request arrives.
public final class JobChain {
    static final String STARTED = ".started";
    static final String PREEMPTED = ".preempted";

    private static final Pattern LINK = Pattern.compile("[1-9][0-9]{0,8}");
    private static final Pattern FROM =
            Pattern.compile("([1-9][0-9]{0,8})\\.from-(?:none|([0-9]{1,18})-([1-9][0-9]{0,8}))");

    private final CheckpointStore store;
    private final String folder;
    private final Set<String> names;
    private final int listed;
    private int last = -1; // not read yet
    private @Nullable ChainLink link; // the last link after it was read

    private JobChain(CheckpointStore store, String folder, Set<String> names) {
        this.store = store;
        this.folder = folder;
        this.names = names;
        this.listed = names.stream()
                .filter(name -> LINK.matcher(name).matches())
                .mapToInt(Integer::parseInt)
                .max()
                .orElse(0);
    }

    static JobChain of(CheckpointStore store, String folder) {
        String attempts = folder + "/attempts";
        Set<String> names = new HashSet<>();
        store.list(attempts).forEach(key -> names.add(key.substring(attempts.length() + 1)));
        return new JobChain(store, folder, names);
    }

    static String key(String folder, int number) {
        return folder + "/attempts/" + number;
    }

    static String fromKey(String folder, int attempt, @Nullable Checkpoint from) {
        String what = from == null ? "none" : from.progress().step() + "-" + from.attempt();
        return key(folder, attempt) + ".from-" + what;
    }

    /// @return empty if the link does not exist
    /// @throws CheckpointException if it is invalid
    static Optional<ChainLink> read(CheckpointStore store, String folder, int number) {
        Optional<byte[]> json = store.read(key(folder, number));
        try {
            return json.isPresent() ? Optional.of(ChainLink.read(json.get())) : Optional.empty();
        } catch (IOException e) {
            throw new CheckpointException(
                    "%s is not a link of a job's chain: %s".formatted(store.uri(key(folder, number)), e.getMessage()),
                    e);
        }
    }

    /// The number of the last link; 0 without links. An NFS client may list a folder as it was some seconds
    /// ago, so later links are looked up by their keys.
    ///
    /// @throws CheckpointException if one of them is invalid
    public int last() {
        if (last < 0) {
            int number = listed;
            for (Optional<ChainLink> next = next(number); next.isPresent(); next = next(number)) {
                link = next.get();
                number++;
            }
            last = number;
        }
        return last;
    }

    private Optional<ChainLink> next(int number) {
        return read(store, folder, number + 1);
    }

    /// The last link; empty without links. It is read once.
    ///
    /// @throws CheckpointException if it is invalid
    public Optional<ChainLink> link() {
        int number = last();
        if (link == null && number > 0) {
            link = read(store, folder, number).orElse(null);
        }
        return Optional.ofNullable(link);
    }

    /// The end of the job; empty if it has not ended.
    public Optional<End> end() {
        return link().filter(End.class::isInstance).map(End.class::cast);
    }

    /// The number of the newest attempt, for events about the job; 1 before the first.
    public int attempt() {
        boolean paused = link().filter(Pause.class::isInstance).isPresent();
        return Math.max(1, paused ? last() - 1 : last());
    }

    /// Whether an attempt began and did not stop in an orderly way. The job may be the cause.
    public boolean brokeOff(int attempt) {
        return names.contains(attempt + STARTED);
    }

    /// The number of consecutive attempts before this one that did not stop in an orderly way.
    ///
    /// @param since only attempts after this one count
    /// @param most the maximum number to count
    public int brokeOffInARow(int attempt, int since, int most) {
        int brokeOff = 0;
        for (int before = attempt - 1; before > since && brokeOff < most; before--) {
            brokeOff += brokeOff(before) ? 1 : 0;
        }
        return brokeOff;
    }

    public int preemptions() {
        return (int) names.stream().filter(name -> name.endsWith(PREEMPTED)).count();
    }

    CheckpointLineage lineage() {
        TreeMap<Integer, From> resumed = new TreeMap<>();
        for (String name : names) {
            Matcher from = FROM.matcher(name);
            if (from.matches()) {
                resumed.put(
                        Integer.parseInt(from.group(1)),
                        from.group(2) == null
                                ? From.NOTHING
                                : new From(Long.parseLong(from.group(2)), Integer.parseInt(from.group(3))));
            }
        }
        return new CheckpointLineage(resumed);
    }
}
