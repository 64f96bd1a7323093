package io.trainyard.worker;

import io.quarkus.logging.LoggingFilter;
import java.util.Set;
import java.util.logging.Filter;
import java.util.logging.LogRecord;

/// Drops SmallRye's log entries about single records that fail: each has three stack traces, and hundreds of
/// records may be in flight when the brokers go away. The worker sees each failure and logs its meaning once.
///
/// Quarkus's configurable filters never drop errors.
@LoggingFilter(name = "lost-records")
public final class LostRecordsFilter implements Filter {
    /// "Unable to write to Kafka", "was not sent to Kafka topic", "Failed to emit a Message to the channel".
    private static final Set<String> CODES = Set.of("SRMSG18206", "SRMSG18212", "SRMSG00234");

    @Override
    public boolean isLoggable(LogRecord entry) {
        String message = entry.getMessage();
        int colon = message == null ? -1 : message.indexOf(':');
        return colon < 0 || !CODES.contains(message.substring(0, colon));
    }
}
