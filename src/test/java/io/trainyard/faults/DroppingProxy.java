package io.trainyard.faults;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import org.apache.kafka.common.protocol.ApiKeys;

/// A proxy between workers and a broker that drops answers: the broker has processed the request, but the
/// client does not know. It parses only frame lengths, request types and correlation ids.
public final class DroppingProxy implements AutoCloseable {
    public enum Fate {
        ARRIVES,
        /// The answer and all later ones of its connection are lost; the client runs into its own time limit.
        HANGS,
        /// The connection closes instead.
        BREAKS
    }

    public record Request(ApiKeys api) {}

    private final ServerSocket server;
    private final int broker;
    private final Function<Request, Fate> fates;
    private final Collection<Socket> open = new ConcurrentLinkedQueue<>();
    private final Map<ApiKeys, Integer> lost = new ConcurrentSkipListMap<>();
    private volatile boolean closed;

    /// @param broker its port on this machine
    /// @param fates decides the fate of each answer by its request; thread-safe
    DroppingProxy(int broker, Function<Request, Fate> fates) {
        this.broker = broker;
        this.fates = fates;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("proxy", this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /// The number of lost answers by request.
    Map<ApiKeys, Integer> lost() {
        return Map.copyOf(lost);
    }

    private static void start(String name, Runnable work) {
        var _ = Thread.ofPlatform().name(name).daemon().start(work);
    }

    private void accept() {
        while (!closed) {
            try {
                Socket client = server.accept();
                open.add(client);
                Socket upstream = new Socket(InetAddress.getLoopbackAddress(), broker);
                open.add(upstream);
                Map<Integer, Request> waiting = new ConcurrentHashMap<>();
                start(
                        "proxy-requests",
                        () -> pump(client, upstream, frame -> {
                            Request request = new Request(ApiKeys.forId(frame.getShort(0)));
                            waiting.put(frame.getInt(4), request);
                            return Fate.ARRIVES;
                        }));
                start(
                        "proxy-answers",
                        () -> pump(upstream, client, frame -> {
                            Request request = waiting.remove(frame.getInt(0));
                            return request == null ? Fate.ARRIVES : fate(request);
                        }));
            } catch (IOException e) { // a broker that is down looks like a closed connection
                open.removeIf(Socket::isClosed);
            }
        }
    }

    private Fate fate(Request request) {
        Fate fate = fates.apply(request);
        if (fate != Fate.ARRIVES) {
            lost.merge(request.api(), 1, Integer::sum);
        }
        return fate;
    }

    private static void pump(Socket from, Socket to, Function<ByteBuffer, Fate> fates) {
        try (from;
                to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            DataOutputStream out = new DataOutputStream(to.getOutputStream());
            boolean hangs = false;
            while (true) {
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                switch (hangs ? Fate.HANGS : fates.apply(ByteBuffer.wrap(frame))) {
                    case ARRIVES -> {
                        out.writeInt(frame.length);
                        out.write(frame);
                        out.flush();
                    }
                    case HANGS -> hangs = true;
                    case BREAKS -> {
                        return;
                    }
                }
            }
        } catch (IOException _) { // the connection ended
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            server.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
