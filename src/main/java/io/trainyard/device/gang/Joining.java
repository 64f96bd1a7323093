package io.trainyard.device.gang;

import io.trainyard.device.EvenPart;
import io.trainyard.device.PartLostException;
import io.trainyard.device.gang.Handshake.Peer;
import io.trainyard.device.gang.Handshake.Self;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/// A member's side of coming together: it connects to the leader, waits until all are there, and connects to the
/// others.
public final class Joining {
    /// Of a job, as JSON.
    private static final int MAX_JOB = 4 << 20;

    private static final int ASK_MILLIS = 500;

    /// From being told to begin until all are connected.
    private static final Duration MEETING = Duration.ofSeconds(30);

    private final byte[] secret;
    private final Port port;
    private final String worker;

    /// @param secret that the leader knows
    /// @param port where the others can reach this member
    /// @param worker this member's
    public Joining(byte[] secret, Port port, String worker) {
        this.secret = secret;
        this.port = port;
        this.worker = worker;
    }

    /// What a member begins with.
    ///
    /// @param job as JSON
    public record Joined(Links links, Crew crew, byte[] job) {}

    /// @param address where the leader listens
    /// @param stops asked now and then while it waits: whether it should no longer
    /// @throws PartLostException if it comes to nothing; the message says why
    public Joined join(InetSocketAddress address, BooleanSupplier stops, Links.Watch watch, Duration patience)
            throws InterruptedException {
        List<Peer> peers = new ArrayList<>();
        try (ServerSocketChannel server = port.listen(Port.TRIED)) {
            Self self = new Self(worker, port.host(), Port.of(server));
            Greeted met = greet(address, self, Handshake.UNRANKED);
            Crew crew = met.crew();
            peers.add(new Peer(0, new Self(crew.leader(), address.getHostString(), address.getPort()), met.channel()));
            try (Doorway door = new Doorway(server, crew)) {
                DataInputStream in = Handshake.input(met.channel());
                int rank = awaitRank(peers.getFirst(), in, stops, watch);
                requireRank(rank, crew);
                List<Self> roster = roster(in, crew);
                byte[] job = in.readNBytes(length(in.readInt()));
                meet(peers, door, roster, rank);
                return new Joined(new Links(new EvenPart(rank, crew.count()), peers, watch, patience), crew, job);
            }
        } catch (IOException | RuntimeException e) {
            peers.forEach(peer -> Doorway.close(peer.channel()));
            throw e instanceof PartLostException lost ? lost : notJoined(String.valueOf(e.getMessage()));
        }
    }

    private PartLostException notJoined(String reason) {
        return new PartLostException("%s cannot train a part of a job: %s".formatted(worker, reason));
    }

    private record Greeted(Crew crew, SocketChannel channel) {}

    private Greeted greet(InetSocketAddress address, Self self, int rank) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.socket().connect(address, Handshake.TIMEOUT_MILLIS);
            return new Greeted(Handshake.greet(channel, secret, self, rank), channel);
        } catch (IOException | RuntimeException e) {
            Doorway.close(channel);
            throw e;
        }
    }

    private int awaitRank(Peer leader, DataInputStream in, BooleanSupplier stops, Links.Watch watch)
            throws IOException {
        leader.channel().socket().setSoTimeout(ASK_MILLIS);
        int first = -1;
        while (first < 0) {
            try {
                first = in.readUnsignedByte();
            } catch (SocketTimeoutException _) {
                if (stops.getAsBoolean()) {
                    throw notJoined("it stops");
                }
                var missing = watch.missing(leader.worker());
                if (missing.isPresent()) {
                    throw notJoined(missing.get());
                }
            }
        }
        leader.channel().socket().setSoTimeout(Handshake.TIMEOUT_MILLIS);
        return (first << 24) | (in.readUnsignedByte() << 16) | in.readUnsignedShort();
    }

    private void requireRank(int rank, Crew crew) {
        if (rank < 1 || rank >= crew.count()) {
            throw notJoined("it is to be part %d of %d".formatted(rank, crew.count()));
        }
    }

    /// The members, from the first on.
    private static List<Self> roster(DataInputStream in, Crew crew) throws IOException {
        List<Self> roster = new ArrayList<>();
        for (int member = 1; member < crew.count(); member++) {
            roster.add(new Self(in.readUTF(), in.readUTF(), in.readInt()));
        }
        return roster;
    }

    private int length(int bytes) {
        if (bytes < 0 || bytes > MAX_JOB) {
            throw notJoined("the job is said to have %d bytes".formatted(bytes));
        }
        return bytes;
    }

    /// Connects to those before it; those after it connect to this one.
    private void meet(List<Peer> peers, Doorway door, List<Self> roster, int rank)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + MEETING.toNanos();
        for (int before = 1; before < rank; before++) {
            Self other = roster.get(before - 1);
            Greeted met = greet(new InetSocketAddress(other.host(), other.port()), roster.get(rank - 1), rank);
            peers.add(new Peer(before, other, met.channel()));
            if (!met.crew().isSame(door.crew())) {
                throw notJoined("%s trains another job".formatted(other.worker()));
            }
        }
        while (peers.size() < roster.size()) {
            Peer next = door.next(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            if (next == null) {
                throw notJoined("not all others have come within %d s".formatted(MEETING.toSeconds()));
            }
            boolean fits = next.rank() > rank
                    && next.rank() <= roster.size()
                    && roster.get(next.rank() - 1).worker().equals(next.worker())
                    && peers.stream().noneMatch(peer -> peer.rank() == next.rank());
            if (fits) {
                peers.add(next);
            } else {
                Doorway.close(next.channel());
            }
        }
    }
}
