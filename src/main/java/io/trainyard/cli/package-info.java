/// The command line: one class per command of `./trainyard`, and the options they share. A command reads its options,
/// calls the package that does the work, and turns the result into words and an exit status; it decides nothing about
/// training.
@NullMarked
package io.trainyard.cli;

import org.jspecify.annotations.NullMarked;
