/// What trains: a [Device] compiles a network into a [LearningSession], which knows only steps and losses. Backends
/// are packages of their own, found by `ServiceLoader`; this package imports none of them.
@NullMarked
package io.trainyard.device;

import org.jspecify.annotations.NullMarked;
