package io.trainyard.cli.terminal;

import static java.util.Locale.ROOT;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.Console;
import java.io.InputStream;
import java.io.PrintStream;

/// The standard streams of a command.
///
/// @param out results
/// @param err messages
/// @param interactive whether `out` is a terminal with a movable cursor
public record Terminal(InputStream in, PrintStream out, PrintStream err, boolean interactive) {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    @SuppressWarnings("SystemConsoleNull") // the JDK's own annotations have not caught up: it may be null there
    public static Terminal system() {
        Console console = System.console();
        boolean moves = console != null && console.isTerminal() && !"dumb".equals(System.getenv("TERM"));
        return new Terminal(System.in, System.out, System.err, moves);
    }

    /// Prints a value for programs, as JSON on one line.
    public void printJson(Object value) {
        try {
            out.println(MAPPER.writeValueAsString(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("what a command prints is always writable", e);
        }
    }

    /// A time as `m:ss`, or `h:mm:ss`.
    public static String clock(long micros) {
        long seconds = Math.round(micros / 1e6);
        return seconds < 3600
                ? String.format(ROOT, "%d:%02d", seconds / 60, seconds % 60)
                : String.format(ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
}
