package io.trainyard.event;

import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Printable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Writes the events of a run outside a fleet to a file, for [RunLogLines]. The first line is the command with
/// its time; the other lines are the events as on their topics. The writer holds a lock on the file, so readers
/// can detect that it died.
///
/// A file that cannot be written never stops training: it is reported once. Not thread-safe.
public final class RunLog implements AutoCloseable {
    /// The file in the folder of a run.
    public static final String FILE = "events.jsonl";

    /// The size from which a file gets no more losses of steps. It gets the other events.
    static final long MAX_BYTES = 256L << 20;

    private static final int MAX_REASON = 300;

    private final Path file;
    private final byte[] firstLine;
    private final long maxBytes;
    private final Consumer<String> warnings;
    private @Nullable FileChannel channel;
    private long bytes;
    private boolean failed;
    private boolean full;

    /// The file is created at the first event.
    ///
    /// @param folder of the run; a run that is resumed appends to its file
    /// @param warnings receives at most two sentences for users
    public RunLog(Path folder, JobSpec job, Consumer<String> warnings) {
        this(folder, job, MAX_BYTES, warnings);
    }

    RunLog(Path folder, JobSpec job, long maxBytes, Consumer<String> warnings) {
        file = folder.resolve(FILE);
        firstLine = EventJson.write(job, Instant.now());
        this.maxBytes = maxBytes;
        this.warnings = warnings;
    }

    /// A folder for a new run: `RUN`, or the first of `JOB~2`, `JOB~3`, ... without a file, because runs of
    /// several checkpoint stores may have the same name.
    public static Path unused(Path root, String run, String job) {
        Path folder = root.resolve(run);
        for (int number = 2; Files.exists(folder.resolve(FILE), LinkOption.NOFOLLOW_LINKS); number++) {
            folder = root.resolve(job + "~" + number);
        }
        return folder;
    }

    public void write(TrainingEvent event, Instant time) {
        if (failed || (full && event instanceof StepLosses)) {
            return;
        }
        try {
            FileChannel out = channel == null ? open() : channel;
            append(out, EventJson.write(event, time));
        } catch (IOException e) {
            failed = true; // the channel stays open: its lock says that the run is not over
            warnings.accept("dashboard --local does not show the rest of this run: %s cannot be written: %s"
                    .formatted(file, Printable.text(e.toString(), MAX_REASON)));
        }
        if (bytes >= maxBytes && !full) {
            full = true;
            warnings.accept("dashboard --local shows no further losses of this run, only its tests: %s has %d bytes"
                    .formatted(file, bytes));
        }
    }

    private FileChannel open() throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        boolean torn = isTorn();
        FileChannel out =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
        channel = out;
        lock(out);
        bytes = out.size();
        if (bytes == 0) {
            append(out, firstLine);
        } else if (torn) {
            append(out, new byte[0]);
        }
        return out;
    }

    /// Whether the last writer was killed while it wrote a line.
    private boolean isTorn() throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) == 0) {
            return false;
        }
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            return in.read(last, in.size() - 1) == 1 && last.get(0) != '\n';
        }
    }

    /// Some network file systems have no locks; readers take such a file for one that is being written.
    private static void lock(FileChannel out) {
        try {
            var _ = out.tryLock(); // held until the channel is closed or the process dies
        } catch (IOException | OverlappingFileLockException _) {
            // as above
        }
    }

    private void append(FileChannel out, byte[] line) throws IOException {
        ByteBuffer buffer =
                ByteBuffer.allocate(line.length + 1).put(line).put((byte) '\n').flip();
        while (buffer.hasRemaining()) {
            bytes += out.write(buffer);
        }
    }

    @Override
    public void close() {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException _) {
            // every line was written before
        }
    }
}
