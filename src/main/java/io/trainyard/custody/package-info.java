/// Who has a job: the rules by which a command is taken, watched and published anew. Pure: nothing here knows
/// Kafka, a clock or a thread. What the rules decide, the worker does.
@NullMarked
package io.trainyard.custody;

import org.jspecify.annotations.NullMarked;
