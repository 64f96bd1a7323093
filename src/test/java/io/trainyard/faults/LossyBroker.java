package io.trainyard.faults;

import io.trainyard.Ports;
import io.trainyard.broker.EmbeddedBroker;
import io.trainyard.faults.DroppingProxy.Fate;
import io.trainyard.faults.DroppingProxy.Request;
import io.trainyard.topics.Topic;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;

/// A broker in this process with two listeners: a reliable one, and one behind a [DroppingProxy]. Each
/// advertises its own address to its clients.
public final class LossyBroker implements AutoCloseable {
    private final DroppingProxy proxy;
    private final EmbeddedBroker broker;

    /// @param fates decides the fate of the answers behind the proxy
    public LossyBroker(Path folder, Function<Request, Fate> fates) {
        int port = Ports.take();
        int behind = Ports.take();
        int controller = Ports.take();
        proxy = new DroppingProxy(behind, fates);
        String address = "localhost:";
        broker = EmbeddedBroker.start(
                folder,
                port,
                Topic.DEFAULT_PREFIX,
                Map.of(
                        "listeners",
                        "PLAINTEXT://%1$s%2$d,LOSSY://%1$s%3$d,CONTROLLER://%1$s%4$d"
                                .formatted(address, port, behind, controller),
                        "advertised.listeners",
                        "PLAINTEXT://%1$s%2$d,LOSSY://%1$s%3$d".formatted(address, port, proxy.port()),
                        "listener.security.protocol.map",
                        "PLAINTEXT:PLAINTEXT,LOSSY:PLAINTEXT,CONTROLLER:PLAINTEXT",
                        "controller.quorum.voters",
                        "1@" + address + controller));
    }

    /// `host:port` of the reliable listener.
    public String address() {
        return broker.address();
    }

    /// `host:port` behind the proxy.
    public String lossyAddress() {
        return "localhost:" + proxy.port();
    }

    DroppingProxy proxy() {
        return proxy;
    }

    @Override
    public void close() {
        broker.close();
        proxy.close();
    }
}
