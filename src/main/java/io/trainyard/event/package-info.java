/// What happens to a job, told as it happens: the events that leave a worker, and [JobState], their fold.
@NullMarked
package io.trainyard.event;

import org.jspecify.annotations.NullMarked;
