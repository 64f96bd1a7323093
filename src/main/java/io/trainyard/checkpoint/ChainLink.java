package io.trainyard.checkpoint;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/// One entry of a job's chain: `attempts/<n>`, created once. See [JobChain].
///
/// An end and a pause are stored as the event that reports them, byte for byte. Therefore every process that
/// publishes the event publishes the same bytes.
public sealed interface ChainLink {
    /// A worker owns attempt `n`.
    ///
    /// @param worker its id
    /// @param place the position of the attempt's command, as `topic-partition@offset`; empty outside a fleet
    /// @param delivery the number of deliveries of that command; 0 outside a fleet
    /// @param token a unique value by which the owner recognizes its own link if the store's answer was lost
    record Owner(String worker, String place, int delivery, String token) implements ChainLink {
        public static Owner of(String worker, String place, int delivery) {
            return new Owner(worker, place, delivery, UUID.randomUUID().toString());
        }

        /// Creates the owner of an attempt without a command.
        public static Owner outsideAFleet(String worker) {
            return of(worker, "", 0);
        }

        @Override
        public byte[] write() {
            return ChainJson.write(this);
        }
    }

    /// The job has ended. No link follows.
    ///
    /// @param event `finished`, `failed`, `cancelled` or `expanded`, as JSON
    record End(String event) implements ChainLink {
        @Override
        public byte[] write() {
            return event.getBytes(StandardCharsets.UTF_8);
        }
    }

    /// The owner of attempt `n - 1` paused the job. The next link is an owner or the end.
    ///
    /// @param event `paused`, as JSON
    record Pause(String event) implements ChainLink {
        @Override
        public byte[] write() {
            return event.getBytes(StandardCharsets.UTF_8);
        }
    }

    byte[] write();

    /// @throws IOException if it is not a valid link
    static ChainLink read(byte[] json) throws IOException {
        return ChainJson.read(json);
    }
}
