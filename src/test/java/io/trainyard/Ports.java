package io.trainyard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/// Ports for servers that cannot choose and report a free one themselves.
public final class Ports {
    /// From 32768 on, systems assign ports automatically.
    private static final int FIRST = 20_000;

    private static final int AFTER_LAST = 30_000;

    /// Locked until this JVM ends.
    private static final List<FileLock> TAKEN = new ArrayList<>();

    private static int next = FIRST + (int) (ProcessHandle.current().pid() * 20 % (AFTER_LAST - FIRST));

    private Ports() {}

    /// A port of localhost that neither another test nor the system uses.
    public static synchronized int take() {
        try {
            Path folder =
                    Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir"), "trainyard-test-ports"));
            for (int tries = FIRST; tries < AFTER_LAST; tries++) {
                int port = next;
                next = port + 1 < AFTER_LAST ? port + 1 : FIRST;
                if (lock(folder.resolve(Integer.toString(port))) && isFree(port)) {
                    return port;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new AssertionError("all ports from %d to %d are taken".formatted(FIRST, AFTER_LAST));
    }

    private static boolean lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock();
        if (lock == null) {
            channel.close();
            return false;
        }
        TAKEN.add(lock);
        return true;
    }

    private static boolean isFree(int port) {
        try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    /// Occupies a port of localhost without listening on it.
    public static Socket silent() throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return socket;
    }
}
