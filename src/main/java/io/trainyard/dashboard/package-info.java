/// The dashboard: reads what the topics tell of jobs and workers, writes the history to the tracking store, and knows
/// what changes. To the topics it writes only what people ask for; a fleet runs the same without it.
@NullMarked
package io.trainyard.dashboard;

import org.jspecify.annotations.NullMarked;
