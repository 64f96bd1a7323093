package io.trainyard.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.trainyard.spec.Printable;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// Logging of commands without Quarkus: warnings as single lines on standard error. If `TRAINYARD_LOG_JSON` is
/// set, they are JSON with the same keys as Quarkus' log.
///
/// Without this, Quarkus' log manager buffers all records for a configuration that never comes, and reports
/// that at exit.
final class PlainLogging {
    /// Kept in a field because the log manager drops the level of an unreferenced logger.
    private static final Logger ROOT = Logger.getLogger("");

    /// Kafka's clients warn about each connection attempt. The commands report a failure themselves, once.
    private static final Logger KAFKA = Logger.getLogger("org.apache.kafka");

    private PlainLogging() {}

    /// @param verbose whether Kafka's warnings are also shown
    static void install(boolean verbose) {
        for (Handler handler : ROOT.getHandlers()) {
            ROOT.removeHandler(handler);
        }
        ROOT.setLevel(Level.WARNING);
        KAFKA.setLevel(verbose ? Level.WARNING : Level.OFF);
        ROOT.addHandler(new Lines(System.err, Boolean.parseBoolean(System.getenv("TRAINYARD_LOG_JSON"))));
    }

    private static final class Lines extends Handler {
        private final PrintStream err;
        private final boolean json;

        Lines(PrintStream err, boolean json) {
            this.err = err;
            this.json = json;
            setLevel(Level.WARNING);
        }

        @Override
        public void publish(LogRecord entry) {
            if (isLoggable(entry)) {
                String message = new java.util.logging.SimpleFormatter().formatMessage(entry);
                err.println(
                        json
                                ? json(entry, message)
                                : entry.getLevel().getName() + " " + entry.getLoggerName() + ": "
                                        + Printable.text(message, 1000));
            }
        }

        private static String json(LogRecord entry, String message) {
            return JsonNodeFactory.instance
                    .objectNode()
                    .put(
                            "time",
                            entry.getInstant()
                                    .atZone(ZoneId.systemDefault())
                                    .toOffsetDateTime()
                                    .toString())
                    .put("logger", entry.getLoggerName())
                    .put("level", entry.getLevel().getName())
                    .put("message", message)
                    .put("thread", Thread.currentThread().getName())
                    .toString();
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
