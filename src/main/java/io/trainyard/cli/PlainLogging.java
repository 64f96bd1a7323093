package io.trainyard.cli;

import io.trainyard.spec.Printable;
import java.io.PrintStream;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// Logging of the commands that run without Quarkus: warnings, one line each, on standard error.
///
/// Without this, the log manager of Quarkus keeps every record for a configuration that never comes, and complains
/// about it at the end.
final class PlainLogging {
    /// Held, because the log manager forgets the level of a logger that nobody holds.
    private static final Logger ROOT = Logger.getLogger("");

    /// Its clients warn about each attempt to connect; a command says it once, in its own words.
    private static final Logger KAFKA = Logger.getLogger("org.apache.kafka");

    private PlainLogging() {}

    /// @param verbose shows Kafka's warnings, too
    static void install(boolean verbose) {
        for (Handler handler : ROOT.getHandlers()) {
            ROOT.removeHandler(handler);
        }
        ROOT.setLevel(Level.WARNING);
        KAFKA.setLevel(verbose ? Level.WARNING : Level.OFF);
        ROOT.addHandler(new Lines(System.err));
    }

    private static final class Lines extends Handler {
        private final PrintStream err;

        Lines(PrintStream err) {
            this.err = err;
            setLevel(Level.WARNING);
        }

        @Override
        public void publish(LogRecord entry) {
            if (isLoggable(entry)) {
                String message = new java.util.logging.SimpleFormatter().formatMessage(entry);
                err.println(entry.getLevel().getName() + " " + entry.getLoggerName() + ": "
                        + Printable.text(message, 1000));
            }
        }

        @Override
        public void flush() {
            err.flush();
        }

        @Override
        public void close() {
            flush();
        }
    }
}
