/// The dashboard: reads the records of jobs and workers, writes the history to the tracking store, and
/// publishes changes to views. On the topics it writes only users' commands and control requests; a fleet works
/// the same without it.
@NullMarked
package io.trainyard.dashboard;

import org.jspecify.annotations.NullMarked;
