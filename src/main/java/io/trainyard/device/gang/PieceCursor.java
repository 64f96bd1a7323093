package io.trainyard.device.gang;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/// Where one is in a piece of the gradients, which lies in several places, one for each parameter.
final class PieceCursor {
    private final List<MemorySegment> segments;
    private final long bytes;
    private long left;
    private int at; // the segment
    private long offset; // in it

    PieceCursor(List<MemorySegment> segments) {
        this.segments = segments;
        this.bytes = segments.stream().mapToLong(MemorySegment::byteSize).sum();
        this.left = bytes;
    }

    long bytes() {
        return bytes;
    }

    /// Bytes from here on.
    long left() {
        return left;
    }

    /// Puts the next bytes, at most so many, and stays where it is.
    void peek(ByteBuffer to, int most) {
        int segment = at;
        long from = offset;
        int left = most;
        while (left > 0 && segment < segments.size()) {
            long now = Math.min(left, segments.get(segment).byteSize() - from);
            MemorySegment.copy(segments.get(segment), from, MemorySegment.ofBuffer(to), 0, now);
            to.position(to.position() + (int) now);
            left -= (int) now;
            segment++;
            from = 0;
        }
    }

    /// Takes the next bytes, which [#peek] gave, and goes behind them.
    void write(ByteBuffer from) {
        ByteBuffer rest = from.duplicate();
        while (rest.hasRemaining() && at < segments.size()) {
            MemorySegment segment = segments.get(at);
            long now = Math.min(rest.remaining(), segment.byteSize() - offset);
            MemorySegment.copy(MemorySegment.ofBuffer(rest), 0, segment, offset, now);
            rest.position(rest.position() + (int) now);
            offset += now;
            left -= now;
            if (offset == segment.byteSize()) {
                at++;
                offset = 0;
            }
        }
        if (rest.hasRemaining()) {
            throw new IllegalArgumentException(
                    "%d bytes too many for a piece of the gradients".formatted(rest.remaining()));
        }
    }
}
