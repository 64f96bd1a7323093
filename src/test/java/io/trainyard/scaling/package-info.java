/// How a fleet that grows and shrinks fares: a model of pods, nodes and an autoscaler, coarse enough for ten thousand
/// GPUs. What it says of claiming is held to real workers in a simulated world by `ScalingModelTest`.
@NullMarked
package io.trainyard.scaling;

import org.jspecify.annotations.NullMarked;
