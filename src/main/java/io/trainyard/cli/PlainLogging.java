package io.trainyard.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.trainyard.spec.Printable;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// Logging of the commands that run without Quarkus: warnings, one line each, on standard error; as JSON with the
/// keys that Quarkus' lines have, where `TRAINYARD_LOG_JSON` asks for it.
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
