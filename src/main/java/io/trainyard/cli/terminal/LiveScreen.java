package io.trainyard.cli.terminal;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.jline.terminal.Attributes;
import org.jline.terminal.Terminal;

/// The terminal's alternate screen, redrawn periodically and restored at the end. Ctrl-C ends the process,
/// whose shutdown hook closes this.
public final class LiveScreen implements AutoCloseable {
    private static final String ENTER = "\u001b[?1049h\u001b[?25l"; // the other screen, and no cursor
    private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String END_OF_LINE = "\u001b[K\r\n";
    private static final String CLEAR_BELOW = "\u001b[J";
    private static final int COLUMNS = 80;
    private static final int ROWS = 24;

    private final PrintStream out;
    private final Terminal terminal;
    private final Attributes before;
    private boolean closed;

    public LiveScreen(PrintStream out) {
        this.out = out;
        terminal = BarConsumer.terminal();
        before = terminal.enterRawMode();
        out.print(ENTER);
        out.flush();
    }

    public int width() {
        return terminal.getWidth() > 0 ? terminal.getWidth() : COLUMNS;
    }

    public int height() {
        return terminal.getHeight() > 0 ? terminal.getHeight() : ROWS;
    }

    /// Replaces the contents; lines that do not fit are cut off.
    public synchronized void draw(List<String> lines) {
        if (closed) {
            return;
        }
        int width = width();
        StringBuilder drawn = new StringBuilder(HOME);
        int count = Math.min(lines.size(), height() - 1);
        for (String line : lines.subList(0, count)) {
            drawn.append(line.length() <= width ? line : line.substring(0, width))
                    .append(END_OF_LINE);
        }
        out.print(drawn.append(CLEAR_BELOW));
        out.flush();
    }

    public boolean quits() {
        try {
            for (int key = read(); key >= 0; key = read()) {
                if (key == 'q' || key == 'Q') {
                    return true;
                }
            }
            return false;
        } catch (IOException _) { // the terminal is closed
            return true;
        }
    }

    private int read() throws IOException {
        return terminal.reader().read(1);
    }

    @Override
    public synchronized void close() { // also called when the process is interrupted, by another thread
        if (closed) {
            return;
        }
        closed = true;
        terminal.setAttributes(before);
        out.print(LEAVE);
        out.flush();
        try {
            terminal.close();
        } catch (IOException e) {
            throw new UncheckedIOException("closing a terminal writes nothing", e);
        }
    }
}
