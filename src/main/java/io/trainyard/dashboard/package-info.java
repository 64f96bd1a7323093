/// The dashboard: reads what the topics tell of jobs and workers, writes the history to the tracking store, and shows
/// it as REST, as a live stream and as a page. To the topics it writes nothing; a fleet runs the same without it.
@NullMarked
package io.trainyard.dashboard;

import org.jspecify.annotations.NullMarked;
