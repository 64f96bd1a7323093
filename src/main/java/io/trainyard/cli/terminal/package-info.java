/// What people see on a terminal: foreign text made printable, and how jobs go, as a bar each or as lines. It is shown
/// events and states, and does not ask where they come from.
@NullMarked
package io.trainyard.cli.terminal;

import org.jspecify.annotations.NullMarked;
