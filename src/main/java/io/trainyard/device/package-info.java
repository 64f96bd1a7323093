/// Training: a [Device] compiles a network into a [LearningSession] with steps and losses. Backends are separate
/// packages, found by `ServiceLoader`; this package imports none of them.
@NullMarked
package io.trainyard.device;

import org.jspecify.annotations.NullMarked;
