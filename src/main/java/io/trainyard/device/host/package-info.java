/// What sessions that compute on the host share, whatever multiplies their matrices: cutting batches into shards
/// for a team of threads, assembling them, the loss, the optimizers' update rules.
@NullMarked
package io.trainyard.device.host;

import org.jspecify.annotations.NullMarked;
