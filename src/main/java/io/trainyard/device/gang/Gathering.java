package io.trainyard.device.gang;

import io.trainyard.device.EvenPart;
import io.trainyard.device.PartLostException;
import io.trainyard.device.gang.Handshake.Peer;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The leader's side of coming together: members connect, and when as many are there as the job asks for, each is
/// told its number, all others' addresses and the job. Then they connect to one another.
public final class Gathering implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(100);

    private final Crew crew;
    private final Doorway door;
    private final List<Peer> members = new ArrayList<>();
    private boolean done;

    /// Begins to listen.
    ///
    /// @param tried how many ports may be tried, from the first on: 1 where members know the port
    /// @throws PartLostException if the machine gives no port
    public Gathering(Port port, int tried, Crew crew) {
        this.crew = crew;
        try {
            door = new Doorway(port.listen(tried), crew);
        } catch (IOException e) {
            throw new PartLostException("nobody can come to train job %s: %s".formatted(crew.job(), e.getMessage()));
        }
    }

    /// Where members have to connect to.
    public int port() {
        try {
            return door.port();
        } catch (IOException e) {
            throw new PartLostException("nobody can come to train job %s: %s".formatted(crew.job(), e.getMessage()));
        }
    }

    /// How many are missing.
    public int missing() {
        return crew.count() - 1 - members.size();
    }

    /// Waits a little for members.
    public void look() throws InterruptedException {
        Peer next = door.next(LOOK);
        members.removeIf(Gathering::isGone);
        if (next == null) {
            return;
        }
        boolean known = members.stream().anyMatch(member -> member.worker().equals(next.worker()));
        if (next.rank() != Handshake.UNRANKED || missing() == 0 || known) {
            Doorway.close(next.channel());
            return;
        }
        members.add(next);
    }

    /// A member says nothing while it waits.
    private static boolean isGone(Peer member) {
        SocketChannel channel = member.channel();
        try {
            channel.configureBlocking(false);
            boolean gone = channel.read(ByteBuffer.allocate(1)) != 0;
            channel.configureBlocking(true);
            if (gone) {
                channel.close();
            }
            return gone;
        } catch (IOException e) {
            Doorway.close(channel);
            return true;
        }
    }

    /// The members' workers.
    public List<String> workers() {
        return members.stream().map(Peer::worker).toList();
    }

    /// Tells all that have come, none of which is missing, to begin.
    ///
    /// @param job as JSON
    /// @param watch tells of members that are not heard any more
    /// @param patience how long to wait for one that is heard of but says nothing
    /// @throws PartLostException if one has gone meanwhile
    public Links begin(byte[] job, Links.Watch watch, Duration patience) {
        List<Peer> ranked = new ArrayList<>();
        for (Peer member : members) {
            ranked.add(member.ranked(ranked.size() + 1));
        }
        @Nullable Peer told = null;
        try {
            for (Peer member : ranked) {
                told = member;
                welcome(Handshake.output(member.channel()), member.rank(), ranked, job);
            }
            Links links = new Links(new EvenPart(0, crew.count()), ranked, watch, patience);
            done = true;
            return links;
        } catch (IOException e) {
            throw new PartLostException("worker %s, which came to train a part of job %s, is lost: %s"
                    .formatted(told == null ? "?" : told.worker(), crew.job(), e.getMessage()));
        }
    }

    private static void welcome(DataOutputStream out, int rank, List<Peer> members, byte[] job) throws IOException {
        out.writeInt(rank);
        for (Peer member : members) {
            out.writeUTF(member.worker());
            out.writeUTF(member.self().host());
            out.writeInt(member.self().port());
        }
        out.writeInt(job.length);
        out.write(job);
        out.flush();
    }

    /// Listens no more. Members that were not told to begin are sent away.
    @Override
    public void close() {
        door.close();
        if (!done) {
            members.forEach(member -> Doorway.close(member.channel()));
        }
    }
}
