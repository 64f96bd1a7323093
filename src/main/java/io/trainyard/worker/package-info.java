/// The Kafka side of a worker. [ClaimLoop] claims commands through share groups and starts a job in a free
/// slot; from then on the job is owned, and the command is accepted. [JobEvents] and [EventPublisher] publish
/// events. [OwnershipMonitorLoop] watches the ownership of all jobs and recovers those of dead workers.
@NullMarked
package io.trainyard.worker;

import org.jspecify.annotations.NullMarked;
