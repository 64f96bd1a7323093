package io.trainyard.checkpoint;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What the jobs of a group keep together, in the folder of the group's name:
///
///     <group>/rungs/<epochs>/<job>~<attempt>             an attempt that resumed from an earlier epoch is on its way
/// here
///     <group>/rungs/<epochs>/<job>~<attempt>~<result>    how good the job was after so many epochs
///
/// Of a job's names in a rung the one of the highest attempt counts, whenever it was written. So a superseded
/// attempt
/// that stood still cannot decide anything: its successor has left its own name at each rung ahead before it
/// began. All
/// is in the names, so that to list a rung is to know it.
public final class GroupFolder {
    private static final Pattern NAME = Pattern.compile("([^~]+)~([1-9][0-9]{0,8})(?:~(.+))?");

    private final CheckpointStore store;
    private final String group;

    /// @param attempt that reached the rung, or the number of the link that ended the job
    /// @param text as it was kept
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

    /// Voids what earlier attempts at a job have kept at a rung, or will keep there.
    public void approach(int epochs, String job, int attempt) {
        store.note("%s/%s~%d".formatted(folder(epochs), job, attempt));
    }

    /// Keeps a job's result, unless the job has one there that counts.
    ///
    /// @param epochs after which it was tested
    public void keepResult(int epochs, String job, int attempt, String result) {
        if (!results(epochs).containsKey(job)) {
            var _ = store.createIfAbsent("%s/%s~%d~%s".formatted(folder(epochs), job, attempt, result), new byte[0]);
        }
    }

    /// The results of all jobs that have one there that counts, by their ids.
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
