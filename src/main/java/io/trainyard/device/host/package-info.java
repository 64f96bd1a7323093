/// Shared by sessions that compute on the host, for any matrix implementation: shards for a team of threads, batch
/// assembly, losses, and the optimizers' update rules.
@NullMarked
package io.trainyard.device.host;

import org.jspecify.annotations.NullMarked;
