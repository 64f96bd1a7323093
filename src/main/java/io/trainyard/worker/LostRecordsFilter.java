package io.trainyard.worker;

import io.quarkus.logging.LoggingFilter;
import java.util.Set;
import java.util.logging.Filter;
import java.util.logging.LogRecord;

/// Leaves out of the log what SmallRye says of each record that does not get to the brokers: three stacks, and hundreds
/// of records may be on their way when the brokers go away. The worker hears of each loss and says what it means, once.
///
/// Quarkus's own filters, which are configured by such beginnings, let every error pass.
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
