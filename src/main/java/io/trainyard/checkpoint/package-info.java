/// The persistent state of jobs: checkpoints as safetensors files, and the folder of each job in a store with
/// its attempts and its end.
@NullMarked
package io.trainyard.checkpoint;

import org.jspecify.annotations.NullMarked;
