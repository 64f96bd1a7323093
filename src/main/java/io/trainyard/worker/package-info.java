/// The Kafka edge of a worker: commands are claimed here, one at a time, and events leave here.
///
/// [ClaimLoop] takes a command through the share group, renews its lock while a [JobRunner] trains, and acknowledges
/// it when all events of the job are with the brokers; [JobEvents] and [EventPublisher] carry the events.
@NullMarked
package io.trainyard.worker;

import org.jspecify.annotations.NullMarked;
