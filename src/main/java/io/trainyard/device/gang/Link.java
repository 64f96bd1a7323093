package io.trainyard.device.gang;

import io.trainyard.device.PartLostException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;

/// One connection of a part to another: at most one message on its way in each direction. Never waits; used by one
/// thread.
///
/// A message is a header of 12 bytes, little-endian, and what it says. The header: its kind, flags (1: the sender's
/// worker stops), how many bytes. What is longer than whoever reads it expects is not read.
final class Link {
    static final int MAX_REASON = 2_000; // bytes of a BYE

    private static final int HEADER = 12;
    private static final int LEAVES = 1;

    /// A larger piece is written in several calls: Java would keep memory for it.
    private static final int MAX_WRITE = 1 << 20;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final String name;
    private final SocketChannel channel;
    private final SelectionKey key;
    private final ByteBuffer headerOut = direct(HEADER);
    private final ByteBuffer headerIn = direct(HEADER);
    private ByteBuffer out = NOTHING;
    private ByteBuffer in = direct(256);
    private Set<Kind> expected = EnumSet.noneOf(Kind.class); // empty: nothing is waited for
    private int limit;
    private boolean leaves;

    /// @param name of the other part's worker, for people
    /// @param channel connected; this has it from now on
    Link(String name, SocketChannel channel, Selector selector) throws IOException {
        this.name = name;
        this.channel = channel;
        channel.configureBlocking(false);
        key = channel.register(selector, 0);
        headerOut.limit(0);
    }

    static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    String name() {
        return name;
    }

    /// Whether the other's worker has said that it stops.
    boolean leaves() {
        return leaves;
    }

    /// Begins to send; the one before has been sent.
    ///
    /// @param payload is read, and left as it is; the other must not change it before all is sent
    void send(Kind kind, ByteBuffer payload, boolean leaving) {
        out = payload.duplicate();
        headerOut.clear();
        headerOut.putInt(kind.ordinal()).putInt(leaving ? LEAVES : 0).putInt(out.remaining());
        headerOut.flip();
    }

    /// Begins to receive; the one before has been received.
    ///
    /// @param kinds one of which it is to be
    /// @param most bytes of it
    void expect(Set<Kind> kinds, int most) {
        expected = kinds;
        limit = most;
        headerIn.clear();
        in.clear().limit(0);
    }

    /// What was received, little-endian, until [#expect] is called again.
    ByteBuffer received() {
        return in.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    /// What kind of message was received.
    Kind kind() {
        return Kind.values()[headerIn.getInt(0)];
    }

    boolean isDone() {
        return expected.isEmpty() && !hasToSend();
    }

    private boolean hasToSend() {
        return headerOut.hasRemaining() || out.hasRemaining();
    }

    /// Sends and receives what is possible at once.
    ///
    /// @return whether anything was
    /// @throws PartLostException if the other is gone, or says what is not expected
    boolean progress() {
        try {
            boolean any = false;
            while (!expected.isEmpty() && read()) { // first: a reason to go may be there
                any = true;
            }
            return any | (hasToSend() && write());
        } catch (IOException e) {
            throw lost(String.valueOf(e.getMessage()));
        }
    }

    private boolean write() throws IOException {
        long written = headerOut.hasRemaining() ? channel.write(headerOut) : 0;
        while (!headerOut.hasRemaining() && out.hasRemaining()) {
            ByteBuffer next = out.slice(out.position(), Math.min(MAX_WRITE, out.remaining()));
            int now = channel.write(next);
            out.position(out.position() + now);
            written += now;
            if (now == 0) {
                break;
            }
        }
        return written > 0;
    }

    private boolean read() throws IOException {
        if (headerIn.hasRemaining()) {
            int now = fill(headerIn);
            if (!headerIn.hasRemaining()) {
                begin();
            }
            return now > 0;
        }
        int now = in.hasRemaining() ? fill(in) : 0;
        if (!in.hasRemaining()) {
            in.flip();
            if (kind() == Kind.BYE) {
                throw lost(printable(in));
            }
            expected = EnumSet.noneOf(Kind.class);
        }
        return now > 0;
    }

    private int fill(ByteBuffer buffer) throws IOException {
        int now = channel.read(buffer);
        if (now < 0) {
            throw lost("its connection has ended");
        }
        return now;
    }

    /// The header has come.
    private void begin() {
        int kind = headerIn.getInt(0);
        int bytes = headerIn.getInt(8);
        boolean isBye = kind == Kind.BYE.ordinal();
        if (!isBye && expected.stream().noneMatch(one -> one.ordinal() == kind)) {
            throw lost("it sent message %d and not one of %s".formatted(kind, expected));
        }
        if (bytes < 0 || bytes > (isBye ? MAX_REASON : limit)) {
            throw lost("it sent a message of %d bytes; allowed is up to %d".formatted(bytes, limit));
        }
        leaves |= (headerIn.getInt(4) & LEAVES) != 0;
        if (in.capacity() < bytes) {
            in = direct(bytes);
        }
        in.clear().limit(bytes);
    }

    private static String printable(ByteBuffer text) {
        return StandardCharsets.UTF_8.decode(text.duplicate()).toString().replaceAll("\\p{Cntrl}", " ");
    }

    /// What to wait for.
    void wish() {
        key.interestOps((hasToSend() ? SelectionKey.OP_WRITE : 0) | (expected.isEmpty() ? 0 : SelectionKey.OP_READ));
    }

    PartLostException lost(String reason) {
        return new PartLostException("worker %s, which has a part of the job, is lost: %s".formatted(name, reason));
    }

    /// Says why this part goes, where that can be said at once, and ends the connection.
    void close(String reason) throws IOException {
        try (channel) {
            if (!hasToSend()) {
                byte[] text = reason.getBytes(StandardCharsets.UTF_8);
                send(Kind.BYE, ByteBuffer.wrap(text, 0, Math.min(MAX_REASON, text.length)), false);
                var _ = write();
            }
        }
    }
}
