/// What outlives a worker: checkpoints as safetensors files, and the folder of each job in a store, where
/// attempts are numbered and a job's end is kept.
@NullMarked
package io.trainyard.checkpoint;

import org.jspecify.annotations.NullMarked;
