/// The jobs of a fleet for people: watched until they have ended, and as a table.
@NullMarked
package io.trainyard.cli.watch;

import org.jspecify.annotations.NullMarked;
