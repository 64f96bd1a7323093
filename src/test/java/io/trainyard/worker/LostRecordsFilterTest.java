package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LostRecordsFilterTest {
    private static boolean isLogged(@Nullable String message) {
        return new LostRecordsFilter().isLoggable(new LogRecord(Level.SEVERE, message));
    }

    @Test
    void dropsEntriesThatTheWorkerLogsItself() {
        assertThat(isLogged("SRMSG18206: Unable to write to Kafka from channel %s (topic: %s)"))
                .isFalse();
        assertThat(isLogged("SRMSG18212: Message %s from channel '%s' was not sent to Kafka topic '%s'"))
                .isFalse();
        assertThat(isLogged("SRMSG00234: Failed to emit a Message to the channel"))
                .isFalse();
    }

    @Test
    void everythingElseIsLogged() {
        assertThat(isLogged("SRMSG18217: Unable to read a record from Kafka topics '%s'"))
                .isTrue();
        assertThat(isLogged("worker=w has no claim any more: SRMSG18206: what it heard"))
                .isTrue();
        assertThat(isLogged("no code")).isTrue();
        assertThat(isLogged(null)).isTrue();
    }
}
