/// What sessions that compute on the host share, whatever multiplies their matrices: assembling batches, the
/// loss, the optimizers' update rules. All of it works on float32 in memory segments, native or on the heap.
@NullMarked
package io.trainyard.device.host;

import org.jspecify.annotations.NullMarked;
