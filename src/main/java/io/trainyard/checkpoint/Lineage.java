package io.trainyard.checkpoint;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The checkpoints that a job goes on from: those of its last attempt, those that lead up to the one that this attempt
/// went on from, and so on.
///
/// What a worker that has lost its job saves late is none of them, though its step may be the highest: a later attempt
/// has gone on from an earlier one by then and told its steps, and whoever went on from the late one would leave
/// a hole after them.
///
/// Each attempt but the first notes in `attempts/<n>.from` what it goes on from, before it tells that it does:
/// `<step>-<attempt>` of the checkpoint, or nothing when it begins anew.
final class Lineage {
    private static final Pattern FROM = Pattern.compile("([0-9]{1,18})-([1-9][0-9]{0,8})");

    private final CheckpointStore store;
    private final String folder;

    /// The last attempt that has noted where it goes on from; 0 without one.
    private final int last;

    Lineage(CheckpointStore store, String folder) {
        this.store = store;
        this.folder = folder;
        Pattern note = Pattern.compile(Pattern.quote(folder) + "/attempts/([0-9]{1,9})\\.from");
        last = store.list(folder + "/attempts").stream()
                .map(note::matcher)
                .filter(Matcher::matches)
                .mapToInt(matcher -> Integer.parseInt(matcher.group(1)))
                .max()
                .orElse(0);
    }

    /// Notes what an attempt goes on from; the first note stays.
    ///
    /// @param from empty: it begins anew
    static void note(CheckpointStore store, String folder, int attempt, Optional<Checkpoint> from) {
        String note = from.map(checkpoint -> checkpoint.progress().step() + "-" + checkpoint.attempt())
                .orElse("");
        var _ = store.createIfAbsent(key(folder, attempt), note.getBytes(StandardCharsets.UTF_8));
    }

    private static String key(String folder, int attempt) {
        return folder + "/attempts/" + attempt + ".from";
    }

    /// Whether the job may go on from a checkpoint.
    boolean has(CheckpointKey checkpoint) {
        int later = last;
        long end = Long.MAX_VALUE; // the last step of that attempt that counts
        while (checkpoint.attempt() < later) {
            Optional<byte[]> note = store.read(key(folder, later));
            if (note.isEmpty()) { // it was the first, or of a version that noted nothing
                break;
            }
            Matcher from = FROM.matcher(new String(note.get(), StandardCharsets.UTF_8));
            if (!from.matches()) {
                return false; // it began anew
            }
            end = Long.parseLong(from.group(1));
            later = Integer.parseInt(from.group(2));
        }
        boolean isOfLaterOne = later < last && checkpoint.attempt() > later;
        return !isOfLaterOne && checkpoint.step() <= end;
    }
}
