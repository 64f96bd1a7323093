/// Records of jobs and the state computed from them. Workers publish events. Events, commands and dead letters
/// are the records of a job ([JobRecord]); [JobState] is computed from them, and [JobStates] keeps the states of a
/// fleet's jobs. Views show a state and compute nothing themselves.
@NullMarked
package io.trainyard.event;

import org.jspecify.annotations.NullMarked;
