package io.trainyard.worker;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

@FunctionalInterface
interface Outbox {
    /// Records of one thread to one topic stay in order.
    ///
    /// @param value null is a tombstone
    /// @return completes when all in-sync replicas have the record; fails if they never will
    CompletableFuture<Void> send(String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers);
}
