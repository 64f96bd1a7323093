package io.trainyard.event;

import io.trainyard.event.JobRecord.EventRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/// Complete lines of a [RunLog]. Its writer may be writing the next one.
///
/// @param end the position after these lines
/// @param skipped the number of lines that cannot be read
public record RunLogLines(List<JobRecord> records, long end, int skipped) {
    /// Read at once, unless a line is longer.
    private static final int CHUNK = 4 << 20;

    private static final int MAX_LINE = 4 * CHUNK;

    /// The first line is longer. It contains the time to the millisecond.
    private static final int HEAD = 64;

    /// Reads lines.
    ///
    /// @param job the id in the records: the run's name, because several runs may have the job's id
    /// @param from 0, or the end of previous lines
    public static RunLogLines read(Path file, String job, long from) throws IOException {
        try (FileChannel in = open(file)) {
            byte[] read = read(in, from, CHUNK);
            int length = lastLineEnd(read);
            if (length == 0 && read.length == CHUNK) {
                read = read(in, from, MAX_LINE);
                length = lastLineEnd(read);
            }
            if (length == 0 && read.length == MAX_LINE) {
                return new RunLogLines(List.of(), from + MAX_LINE, 1); // its rest is skipped as another line
            }
            return parse(Arrays.copyOf(read, length), job, from);
        }
    }

    /// A number that differs if the file was replaced; -1 until it has a first line.
    public static int identity(Path file) throws IOException {
        try (FileChannel in = open(file)) {
            byte[] head = read(in, 0, HEAD);
            CRC32 sum = new CRC32();
            sum.update(head);
            return head.length < HEAD ? -1 : (int) (sum.getValue() & Integer.MAX_VALUE);
        }
    }

    /// Whether a process may still write the file. True if this cannot be found out.
    public static boolean isWritten(Path file) {
        try (FileChannel in = open(file);
                FileLock lock = in.tryLock(0, Long.MAX_VALUE, true)) {
            return lock == null;
        } catch (IOException | OverlappingFileLockException _) {
            return true;
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    private static byte[] read(FileChannel in, long from, int most) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.clamp(in.size() - from, 0L, (long) most));
        while (buffer.hasRemaining() && in.read(buffer, from + buffer.position()) > 0) {}
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    private static int lastLineEnd(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    private static RunLogLines parse(byte[] lines, String job, long from) {
        List<JobRecord> records = new ArrayList<>();
        int skipped = 0;
        int begin = 0;
        for (int i = 0; i < lines.length; i++) {
            if (lines[i] == '\n') {
                byte[] line = Arrays.copyOfRange(lines, begin, i);
                try {
                    records.add(record(line, job, from + begin));
                } catch (IOException | RuntimeException _) { // torn, or changed by another program
                    skipped += line.length == 0 ? 0 : 1;
                }
                begin = i + 1;
            }
        }
        return new RunLogLines(records, from + lines.length, skipped);
    }

    private static JobRecord record(byte[] line, String job, long position) throws IOException {
        if (position == 0) {
            return EventJson.readCommand(line, job);
        }
        TimestampedEvent stamped = EventJson.readEvent(line, job);
        if (stamped.time() == null) {
            throw new IOException("an event without a time");
        }
        return new EventRecord(stamped.event(), stamped.time().toEpochMilli(), null, position);
    }
}
