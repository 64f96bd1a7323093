/// The command line: one class per command of `./trainyard`, and shared options. A command parses its options,
/// calls the package that does the work, and prints the result. It contains no training logic.
@NullMarked
package io.trainyard.cli;

import org.jspecify.annotations.NullMarked;
