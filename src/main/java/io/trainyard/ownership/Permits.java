package io.trainyard.ownership;

import io.trainyard.checkpoint.CheckpointStore;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Permits to run jobs of a project with a quota. There are as many as the quota allows. They are kept in the
/// store; the worker that creates a permit's next file takes it. So the quota holds, however many workers claim
/// jobs of the project at the same moment.
///
///     projects~/<project>/<permit>-<n>    created once: the job and attempt that have the permit, the n-th in
/// a row
///
/// No permit is returned: it is free again as soon as its attempt is known to be over. No job can have that
/// folder, because ids contain no tilde.
public final class Permits {
    private static final String FOLDER = "projects~/";
    private static final Pattern NAME = Pattern.compile("([0-9]{1,7})-([0-9]{1,9})");

    private final CheckpointStore store;
    private final Map<String, Attempt> known = new HashMap<>(); // by key: files never change

    /// The attempt that has a permit.
    public record Attempt(String job, int number, String worker) {
        byte[] write() {
            return "%s/%d/%s".formatted(job, number, worker).getBytes(StandardCharsets.UTF_8);
        }

        /// Unreadable content counts as a free permit.
        static Optional<Attempt> read(byte[] bytes) {
            String[] parts = new String(bytes, StandardCharsets.UTF_8).split("/", 3);
            return parts.length == 3 && parts[1].matches("[1-9][0-9]{0,8}")
                    ? Optional.of(new Attempt(parts[0], Integer.parseInt(parts[1]), parts[2]))
                    : Optional.empty();
        }

        boolean isSame(Attempt other) {
            return job.equals(other.job) && number == other.number;
        }

        /// An attempt ends all earlier ones of its job.
        boolean isBefore(Attempt later) {
            return job.equals(later.job) && number < later.number;
        }
    }

    public Permits(CheckpointStore store) {
        this.store = store;
    }

    /// Takes a permit for an attempt, unless the attempt already has one.
    ///
    /// @param isOver whether an attempt no longer needs its permit
    /// @return whether the attempt has a permit now
    public boolean take(String project, int most, Attempt attempt, Predicate<Attempt> isOver) {
        String folder = FOLDER + project;
        TreeMap<Integer, Integer> newest = newest(folder);
        Map<Integer, Optional<Attempt>> holders = new HashMap<>();
        newest.forEach((permit, number) -> holders.put(permit, holder(key(folder, permit, number))));
        if (holders.values().stream()
                .anyMatch(holder -> holder.filter(attempt::isSame).isPresent())) {
            return true;
        }
        for (int permit = 0; permit < most; permit++) {
            int number = newest.getOrDefault(permit, 0);
            boolean free = holders.getOrDefault(permit, Optional.empty())
                    .map(holder -> holder.isBefore(attempt) || isOver.test(holder))
                    .orElse(true);
            if (free && create(folder, permit, number + 1, attempt)) {
                return true;
            }
        }
        return false;
    }

    /// The newest of the earlier files stays until there is a newer one. So a worker that was frozen for long
    /// and creates a file that others had deleted sees a newer one next to it.
    private boolean create(String folder, int permit, int number, Attempt attempt) {
        String mine = key(folder, permit, number);
        if (!store.createIfAbsent(mine, attempt.write())) {
            return false;
        }
        if (newest(folder).getOrDefault(permit, number) > number) {
            store.delete(mine);
            return false;
        }
        if (number > 1) {
            store.delete(key(folder, permit, number - 1));
        }
        return true;
    }

    private TreeMap<Integer, Integer> newest(String folder) {
        TreeMap<Integer, Integer> newest = new TreeMap<>();
        for (String key : store.list(folder)) {
            Matcher name = NAME.matcher(key.substring(folder.length() + 1));
            if (name.matches()) {
                newest.merge(Integer.parseInt(name.group(1)), Integer.parseInt(name.group(2)), Math::max);
            }
        }
        Set<String> keys = new HashSet<>();
        newest.forEach((permit, number) -> keys.add(key(folder, permit, number)));
        known.keySet().removeIf(key -> key.startsWith(folder + "/") && !keys.contains(key));
        return newest;
    }

    private Optional<Attempt> holder(String key) {
        Attempt before = known.get(key);
        if (before != null) {
            return Optional.of(before);
        }
        Optional<Attempt> holder = store.read(key).flatMap(Attempt::read);
        holder.ifPresent(found -> known.put(key, found));
        return holder;
    }

    private static String key(String folder, int permit, int number) {
        return "%s/%d-%d".formatted(folder, permit, number);
    }
}
