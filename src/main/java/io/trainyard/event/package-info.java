/// What is heard of jobs, and the one read model made of it. Events leave a worker; with commands and dead letters
/// they are the news of a job ([JobNews]); [JobState] is the fold of a job's news, and [JobBook] keeps the states
/// of a fleet's jobs. A view shows a state and folds nothing itself.
@NullMarked
package io.trainyard.event;

import org.jspecify.annotations.NullMarked;
