package io.trainyard.device.gang;

import io.trainyard.device.DeviceException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;

/// Where a process can be reached by the others that train a job with it.
///
/// @param host its own address, as the others know it
/// @param first the first port to try; 0: any
public record Port(String host, int first) {
    /// So many ports a member tries from the first on: a machine may have several of them.
    public static final int TRIED = 16;

    private static final int PORTS = 65_536;

    /// @param host null: this machine's, as it knows itself
    /// @param first the first port to try; 0: any
    /// @throws DeviceException if the machine does not know its address, or the port is none
    public static Port at(@Nullable String host, int first) {
        if (first < 0 || first >= PORTS - TRIED) {
            throw new DeviceException(
                    "--port is %d; allowed is 1 to %d, or 0 for any".formatted(first, PORTS - TRIED - 1));
        }
        return new Port(host == null ? ownAddress() : host, first);
    }

    private static String ownAddress() {
        try {
            return InetAddress.getLocalHost().getHostAddress();
        } catch (UnknownHostException e) {
            throw new DeviceException(
                    "this machine does not know its address (%s); give it with --host".formatted(e.getMessage()), e);
        }
    }

    /// @param tried how many ports, from the first on
    ServerSocketChannel listen(int tried) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        try {
            for (int i = 0; ; i++) {
                try {
                    server.bind(new InetSocketAddress(host, first == 0 ? 0 : first + i), Crew.MAX_PARTS);
                    return server;
                } catch (BindException e) {
                    if (first == 0 || i + 1 == tried) {
                        throw new IOException(
                                "no port can be had at %s, from %d on: %s".formatted(host, first, e.getMessage()), e);
                    }
                }
            }
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    static int of(ServerSocketChannel server) throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }
}
