package io.trainyard.cli.terminal;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import me.tongfei.progressbar.InteractiveConsoleProgressBarConsumer;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/// Draws a bar at its place among the others, as wide as the terminal is now.
///
/// The library would ask a terminal of its own for the width, one that sets the signals' handlers back to the
/// system's: from then on ctrl-C kills the process on the spot, and no shutdown hook runs.
final class BarConsumer extends InteractiveConsoleProgressBarConsumer {
    private static final int DEFAULT_COLUMNS = 80;

    /// A cursor in the last column moves differently from terminal to terminal.
    private static final int RIGHT_MARGIN = 1;

    private final Terminal terminal;

    BarConsumer(PrintStream out, Terminal terminal) {
        super(out);
        this.terminal = terminal;
    }

    /// The terminal of this process; the signals stay as they are.
    static Terminal terminal() {
        try {
            return TerminalBuilder.builder()
                    .system(true)
                    .dumb(true)
                    .nativeSignals(false)
                    .build();
        } catch (IOException e) {
            throw new UncheckedIOException("a dumb terminal can always be had", e);
        }
    }

    @Override
    public int getMaxRenderedLength() {
        int columns = terminal.getWidth();
        return (columns > 0 ? columns : DEFAULT_COLUMNS) - RIGHT_MARGIN;
    }
}
