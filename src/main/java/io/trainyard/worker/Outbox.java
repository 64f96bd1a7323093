package io.trainyard.worker;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/// Sends records without waiting for them.
@FunctionalInterface
interface Outbox {
    /// Records that one thread sends to one topic arrive in their order.
    ///
    /// @param topic the full name
    /// @param value null: on a compacted topic, that the key is gone
    /// @return done when all in-sync replicas have the record, or failed when it will not get there
    CompletableFuture<Void> send(String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers);
}
