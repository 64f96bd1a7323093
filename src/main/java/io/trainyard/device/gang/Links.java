package io.trainyard.device.gang;

import io.trainyard.device.EvenPart;
import io.trainyard.device.PartExchange;
import io.trainyard.device.PartLostException;
import io.trainyard.device.host.GradientSum;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// A part's connections to all others. All parts do the same in the same order, so that each knows what comes next
/// from whom; messages that come early wait in the system. Used by one thread, but for [#leave].
public final class Links implements PartExchange, AutoCloseable {
    /// Of gradients at a time, to or from one part: what waits is no more than that for each.
    private static final int CHUNK = 1 << 20;

    /// Who waits looks again and again for so long, and then sleeps.
    private static final long SPIN_NANOS = 20_000;

    /// How often a sleeper asks whether the others are still heard.
    private static final long ASK_MILLIS = 500;

    private final EvenPart part;
    private final @Nullable Link[] links; // by part; null for this one
    private final Selector selector;
    private final Watch watch;
    private final Duration patience;
    private final ByteBuffer sum = Link.direct(CHUNK);
    private final List<ByteBuffer> shares = new ArrayList<>(); // by part
    private volatile boolean leaving;

    /// What is known of workers otherwise: a connection alone does not tell that the other's machine stands still.
    @FunctionalInterface
    public interface Watch {
        /// @param worker the other part's
        /// @return why nobody should wait for it any more; empty: it is heard
        Optional<String> missing(String worker);
    }

    /// @param peers the others
    /// @param patience how long to wait for what is heard of but says nothing
    Links(EvenPart part, List<Handshake.Peer> peers, Watch watch, Duration patience) throws IOException {
        this.part = part;
        this.watch = watch;
        this.patience = patience;
        links = new Link[part.count()];
        selector = Selector.open();
        for (Handshake.Peer peer : peers) {
            links[peer.rank()] = new Link(peer.worker(), peer.channel(), selector);
        }
        for (int i = 0; i < part.count(); i++) {
            shares.add(Link.direct(CHUNK + Float.BYTES));
        }
    }

    @Override
    public EvenPart part() {
        return part;
    }

    /// This part's worker stops: the others hear of it with the next message. From any thread.
    public void leave() {
        leaving = true;
    }

    /// The workers that have said that they stop.
    Optional<String> leaves() {
        for (Link link : links) {
            if (link != null && link.leaves()) {
                return Optional.of(link.name());
            }
        }
        return Optional.empty();
    }

    @Override
    public float sum(List<List<MemorySegment>> pieces, float loss) {
        List<PieceCursor> cursors = pieces.stream().map(PieceCursor::new).toList();
        long most = cursors.stream().mapToLong(PieceCursor::bytes).max().orElse(0);
        double total = 0;
        for (long done = 0; done == 0 || done < most; done += CHUNK) {
            boolean first = done == 0;
            swap(Kind.SHARE, to -> share(to, cursors.get(to), first ? loss : 0), CHUNK + Float.BYTES);
            if (first) {
                total = losses(loss);
            }
            addUp(cursors.get(part.index()));
            swap(Kind.SUM, _ -> sum, CHUNK);
            for (int other = 0; other < part.count(); other++) {
                if (other != part.index()) {
                    take(link(other), cursors.get(other));
                }
            }
        }
        return (float) total;
    }

    private ByteBuffer share(int to, PieceCursor piece, float loss) {
        ByteBuffer buffer = shares.get(to).clear();
        buffer.putFloat(loss);
        piece.peek(buffer, CHUNK);
        return buffer.flip();
    }

    private static void take(Link other, PieceCursor piece) {
        ByteBuffer summed = other.received();
        long expected = Math.min(CHUNK, piece.left());
        if (summed.remaining() != expected) {
            throw other.lost("it has summed %d bytes of gradients, and not %d".formatted(summed.remaining(), expected));
        }
        piece.write(summed);
    }

    /// In the order of the parts.
    private double losses(float own) {
        double total = 0;
        for (int i = 0; i < part.count(); i++) {
            total += i == part.index() ? own : link(i).received().getFloat(0);
        }
        return total;
    }

    /// This part's own first, then the others' in their order.
    private void addUp(PieceCursor own) {
        own.peek(sum.clear(), CHUNK);
        MemorySegment all = MemorySegment.ofBuffer(sum.flip());
        for (int i = 0; i < part.count(); i++) {
            if (i != part.index()) {
                ByteBuffer more = link(i).received();
                more.position(Float.BYTES);
                if (more.remaining() != sum.remaining()) {
                    throw link(i).lost("it has %d bytes of gradients, and not %d"
                            .formatted(more.remaining(), sum.remaining()));
                }
                GradientSum.add(all, MemorySegment.ofBuffer(more));
            }
        }
        own.write(sum);
    }

    @Override
    public List<ByteBuffer> gather(ByteBuffer own, int limit) {
        if (own.remaining() > limit) {
            throw new IllegalArgumentException(
                    "%d bytes are to be told; allowed is up to %d".formatted(own.remaining(), limit));
        }
        swap(Kind.GATHER, _ -> own, limit);
        List<ByteBuffer> all = new ArrayList<>();
        for (int i = 0; i < part.count(); i++) {
            all.add(i == part.index() ? own.duplicate().order(own.order()) : link(i).received());
        }
        return all;
    }

    private void swap(Kind kind, IntFunction<ByteBuffer> own, int limit) {
        boolean stops = leaving;
        for (int i = 0; i < part.count(); i++) {
            if (i != part.index()) {
                link(i).expect(EnumSet.of(kind), limit);
                link(i).send(kind, own.apply(i), stops);
            }
        }
        await();
    }

    /// Says something to all others.
    void tell(Kind kind, ByteBuffer payload) {
        for (int i = 0; i < part.count(); i++) {
            if (i != part.index()) {
                link(i).send(kind, payload, leaving);
            }
        }
        await();
    }

    /// Says something to one.
    void tell(int to, Kind kind, ByteBuffer payload) {
        link(to).send(kind, payload, leaving);
        await();
    }

    /// Waits for what one has to say, until the next call.
    ByteBuffer hear(int from, Kind kind, int limit) {
        return hear(from, EnumSet.of(kind), limit);
    }

    /// Waits for what a leader may have one do.
    ByteBuffer hearOrder(int from, int limit) {
        return hear(from, EnumSet.range(Kind.LOAD, Kind.PREDICT), limit);
    }

    private ByteBuffer hear(int from, Set<Kind> kinds, int limit) {
        link(from).expect(kinds, limit);
        await();
        return link(from).received();
    }

    /// Of what was heard last.
    Kind kind(int from) {
        return link(from).kind();
    }

    Link link(int other) {
        return Objects.requireNonNull(links[other], "a part has no link to itself");
    }

    /// Sends and receives all that was begun.
    private void await() {
        long begin = System.nanoTime();
        long asked = begin;
        while (true) {
            boolean any = false;
            boolean done = true;
            for (Link link : links) {
                if (link != null && !link.isDone()) {
                    any |= link.progress();
                    done &= link.isDone();
                }
            }
            if (done) {
                return;
            }
            long now = System.nanoTime();
            if (any) {
                begin = now;
            } else if (now - begin < SPIN_NANOS) {
                Thread.onSpinWait();
            } else {
                sleep();
                if (now - asked > ASK_MILLIS * 1_000_000) {
                    asked = now;
                    requireOthers(now - begin);
                }
            }
        }
    }

    private void sleep() {
        try {
            for (Link link : links) {
                if (link != null) {
                    link.wish();
                }
            }
            var _ = selector.select(ASK_MILLIS);
            selector.selectedKeys().clear();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new PartLostException("this part of the job is given up");
        }
    }

    private void requireOthers(long silentNanos) {
        for (Link link : links) {
            if (link != null && !link.isDone()) {
                watch.missing(link.name()).ifPresent(reason -> {
                    throw link.lost(reason);
                });
                if (silentNanos > patience.toNanos()) {
                    throw link.lost("it has said nothing for %d s".formatted(patience.toSeconds()));
                }
            }
        }
    }

    @Override
    public void close() {
        close(GangSession.ENDED);
    }

    /// @param reason told to the others
    public void close(String reason) {
        for (Link link : links) {
            try {
                if (link != null) {
                    link.close(reason);
                }
            } catch (IOException _) { // it is gone already
            }
        }
        try {
            selector.close(); // twice does nothing
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
