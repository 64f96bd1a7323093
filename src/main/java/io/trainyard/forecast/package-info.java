/// Jobs that wait: which is next, why each waits, and when each begins, with a range. Pure: it is given what a
/// reader of the topics knows, and the time, and the same gives the same.
@NullMarked
package io.trainyard.forecast;

import org.jspecify.annotations.NullMarked;
