package io.trainyard.checkpoint;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The location of a checkpoint in a store. Its three files have the same name with different suffixes. The
/// attempt is part of the name, so a superseded worker cannot overwrite files of another attempt.
///
/// @param folder the job's folder
/// @param attempt the attempt that saved it; 0 for a model that a user put there, which has neither manifest
///     nor training state
record CheckpointKey(String folder, long step, int attempt) implements Comparable<CheckpointKey> {
    static final String MODEL = ".safetensors";
    static final String TRAINING = ".training.safetensors";
    static final String MANIFEST = ".json";

    private static final int MAX_SHOWN = 10;
    private static final Pattern NAME =
            Pattern.compile("step-([0-9]{10,18})(?:-([1-9][0-9]{0,8}))?(\\.training)?(\\.safetensors|\\.json)");
    private static final Comparator<CheckpointKey> ORDER =
            Comparator.comparingLong(CheckpointKey::step).thenComparingInt(CheckpointKey::attempt);

    static String folder(String job) {
        return job + "/checkpoints";
    }

    /// All checkpoints of a job with at least one file, complete or not, the newest last.
    static List<CheckpointKey> list(CheckpointStore store, String job) {
        return List.copyOf(files(store, job).keySet());
    }

    /// All checkpoints of a job with their files, complete or not.
    static SortedMap<CheckpointKey, Set<String>> files(CheckpointStore store, String job) {
        SortedMap<CheckpointKey, Set<String>> files = new TreeMap<>();
        for (String file : store.list(folder(job))) {
            of(job, file.substring(folder(job).length() + 1))
                    .ifPresent(key ->
                            files.computeIfAbsent(key, _ -> new HashSet<>()).add(file));
        }
        return files;
    }

    /// The steps of the newest ones, for messages.
    static String steps(List<CheckpointKey> keys) {
        List<String> steps =
                keys.stream().map(key -> Long.toString(key.step())).distinct().toList();
        int left = Math.max(0, steps.size() - MAX_SHOWN);
        return (left == 0 ? "" : "..., ") + String.join(", ", steps.subList(left, steps.size()));
    }

    private static Optional<CheckpointKey> of(String job, String file) {
        Matcher name = NAME.matcher(file);
        if (!name.matches()) {
            return Optional.empty();
        }
        int attempt = name.group(2) == null ? 0 : Integer.parseInt(name.group(2));
        return Optional.of(new CheckpointKey(job, Long.parseLong(name.group(1)), attempt));
    }

    String manifest() {
        return name() + MANIFEST;
    }

    String model() {
        return name() + MODEL;
    }

    String training() {
        return name() + TRAINING;
    }

    /// The files of a checkpoint, the manifest first.
    List<String> all() {
        return List.of(manifest(), model(), training());
    }

    boolean isOfAnAttempt() {
        return attempt > 0;
    }

    private String name() {
        String name = "%s/step-%010d".formatted(folder(folder), step);
        return isOfAnAttempt() ? name + "-" + attempt : name;
    }

    @Override
    public int compareTo(CheckpointKey other) {
        return ORDER.compare(this, other);
    }
}
