package io.trainyard.device.gang;

import io.trainyard.device.gang.Handshake.Peer;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Where a part listens for others: who comes and is of the crew is handed on, all else is left. A stranger that says
/// nothing keeps nobody else waiting.
final class Doorway implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Doorway.class.getName());

    /// Who may be at it at a time; others wait in the system, or are refused there.
    private static final int MOST = 64;

    private static final Duration HANDSHAKE = Duration.ofSeconds(10);

    private final ServerSocketChannel server;
    private final Crew crew;
    private final BlockingQueue<Peer> come = new ArrayBlockingQueue<>(MOST);
    private final Semaphore room = new Semaphore(MOST);

    /// @param listening closed with this
    Doorway(ServerSocketChannel listening, Crew crew) {
        server = listening;
        this.crew = crew;
        Thread.ofVirtual().name("gang-door-" + crew.job()).start(this::listen);
    }

    int port() throws IOException {
        return Port.of(server);
    }

    Crew crew() {
        return crew;
    }

    private void listen() {
        try {
            while (true) {
                room.acquire();
                SocketChannel channel = server.accept();
                Thread.ofVirtual().start(() -> admit(channel));
            }
        } catch (IOException | InterruptedException e) { // closed, as all doors are in the end
            LOG.log(System.Logger.Level.DEBUG, "job={0} takes in nobody any more: {1}", crew.job(), e.getMessage());
        }
    }

    private void admit(SocketChannel channel) {
        Thread alarm = Thread.ofVirtual().start(() -> endAfter(HANDSHAKE, channel));
        try {
            Peer peer = Handshake.accept(channel, crew);
            if (!server.isOpen() || !come.offer(peer)) {
                channel.close();
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "job=%s refuses a connection: %s".formatted(crew.job(), e.getMessage()));
            close(channel);
        } finally {
            alarm.interrupt();
            room.release();
        }
    }

    /// Unless it is interrupted before: somebody may say a byte now and then.
    private static void endAfter(Duration most, SocketChannel channel) {
        try {
            Thread.sleep(most);
            close(channel);
        } catch (InterruptedException _) { // it has come in
            Thread.currentThread().interrupt();
        }
    }

    /// The next of the crew; null if none comes within the time.
    @Nullable
    Peer next(Duration within) throws InterruptedException {
        return come.poll(within.toNanos(), TimeUnit.NANOSECONDS);
    }

    static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException _) { // it is gone already
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "job={0}: {1}", crew.job(), e.getMessage());
        }
        for (Peer late = come.poll(); late != null; late = come.poll()) {
            close(late.channel());
        }
    }
}
