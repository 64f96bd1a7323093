package io.trainyard.checkpoint;

import java.util.LinkedHashMap;
import java.util.Map;

/// What the jobs of a group keep together, in the folder of the group's name:
///
///     <group>/rungs/<epochs>/<job>~<result>    created once each: how good the job was after so many epochs
///
/// The result is in the name, so that to list a rung is to know it.
public final class GroupFolder {
    private final CheckpointStore store;
    private final String group;

    public GroupFolder(CheckpointStore store, String group) {
        this.store = store;
        this.group = group;
    }

    /// Keeps a job's result, unless the job has one there.
    ///
    /// @param epochs after which it was tested
    public void keepResult(int epochs, String job, String result) {
        if (!results(epochs).containsKey(job)) {
            var _ = store.createIfAbsent("%s/%s~%s".formatted(folder(epochs), job, result), new byte[0]);
        }
    }

    /// The results of all jobs that have one there, by their ids. Should a job have two, because two attempts at it
    /// told at once what they had computed on different devices, all take the same one.
    public Map<String, String> results(int epochs) {
        Map<String, String> results = new LinkedHashMap<>();
        String folder = folder(epochs);
        for (String key : store.list(folder)) {
            String name = key.substring(folder.length() + 1);
            int end = name.indexOf('~'); // which no id has
            if (end > 0) {
                results.putIfAbsent(name.substring(0, end), name.substring(end + 1));
            }
        }
        return results;
    }

    private String folder(int epochs) {
        return "%s/rungs/%d".formatted(group, epochs);
    }
}
