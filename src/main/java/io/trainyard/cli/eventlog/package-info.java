/// The topics read as one log: from the beginning, merged by time, in bounded memory.
@NullMarked
package io.trainyard.cli.eventlog;

import org.jspecify.annotations.NullMarked;
