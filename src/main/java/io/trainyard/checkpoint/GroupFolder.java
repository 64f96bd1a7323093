package io.trainyard.checkpoint;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The shared results of a group's jobs, in the folder of the group's name:
///
///     <group>/rungs/<epochs>/<job>~<attempt>             an attempt that resumed earlier will reach this rung
///     <group>/rungs/<epochs>/<job>~<attempt>~<result>    the job's result after these epochs
///
/// In each rung, the name with the highest attempt counts, in any order of writing. Before an attempt begins,
/// it writes its name to each rung ahead. Therefore a delayed superseded attempt cannot affect the result. All
/// data is in the names, so listing a rung is enough to read it.
public final class GroupFolder {
    private static final Pattern NAME = Pattern.compile("([^~]+)~([1-9][0-9]{0,8})(?:~(.+))?");

    private final CheckpointStore store;
    private final String group;

    /// @param attempt the attempt that reached the rung, or the number of the link that ended the job
    /// @param text the result as stored
    public record Result(int attempt, String text) {}

    private record Name(int attempt, @Nullable String result) {
        boolean isNewerThan(@Nullable Name other) {
            return other == null
                    || attempt > other.attempt
                    || attempt == other.attempt && other.result == null && result != null;
        }
    }

    public GroupFolder(CheckpointStore store, String group) {
        this.store = store;
        this.group = group;
    }

    /// Invalidates results of earlier attempts of a job in a rung, including those written later.
    public void approach(int epochs, String job, int attempt) {
        store.note("%s/%s~%d".formatted(folder(epochs), job, attempt));
    }

    /// Stores a job's result unless the job has a valid one in the rung.
    ///
    /// @param epochs the number of epochs before the test
    public void keepResult(int epochs, String job, int attempt, String result) {
        if (!results(epochs).containsKey(job)) {
            var _ = store.createIfAbsent("%s/%s~%d~%s".formatted(folder(epochs), job, attempt, result), new byte[0]);
        }
    }

    /// The valid results of all jobs in a rung, by job id.
    public Map<String, Result> results(int epochs) {
        Map<String, Name> newest = new LinkedHashMap<>();
        String folder = folder(epochs);
        for (String key : store.list(folder)) {
            Matcher matcher = NAME.matcher(key.substring(folder.length() + 1));
            if (matcher.matches()) {
                Name name = new Name(Integer.parseInt(matcher.group(2)), matcher.group(3));
                String job = matcher.group(1);
                if (name.isNewerThan(newest.get(job))) {
                    newest.put(job, name);
                }
            }
        }
        Map<String, Result> results = new LinkedHashMap<>();
        newest.forEach((job, name) -> {
            if (name.result() != null) {
                results.put(job, new Result(name.attempt(), name.result()));
            }
        });
        return results;
    }

    private String folder(int epochs) {
        return "%s/rungs/%d".formatted(group, epochs);
    }
}
