package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.ExtLogRecord.FormatStyle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SignInFilterTest {
    private static final String SECRET = "tr0ub4dor";

    private static String sentence(@Nullable Throwable thrown, String message, Object... parameters) {
        ExtLogRecord entry = new ExtLogRecord(Level.SEVERE, message, FormatStyle.PRINTF, "the caller");
        entry.setLoggerName("io.quarkus.oidc.runtime.Client");
        entry.setParameters(parameters);
        entry.setThrown(thrown);
        return SignInFilter.sentence(entry);
    }

    @Test
    void reportsTheKindOfARefusalWithoutItsText() {
        String answer = "{\"error\":\"invalid_client\",\"error_description\":\"not %s\"}".formatted(SECRET);
        String published = "a sign-in failed (Client): status 401, invalid_client; see the provider's log";
        assertThat(sentence(null, "Request %s has failed: status: %d, error message: %s", "http://x/", 401, answer))
                .isEqualTo(published);
        assertThat(sentence(null, "Request has failed: status: 401, error message: " + answer))
                .isEqualTo(published);
        assertThat(sentence(new IllegalStateException(answer, new ConnectException(SECRET)), "failed"))
                .contains("invalid_client, IllegalStateException, ConnectException")
                .doesNotContain(SECRET);
    }

    @Test
    void reportsAnExpiredSession() {
        assertThat(sentence(null, SECRET)).contains("no reason was given").doesNotContain(SECRET);
        LogRecord empty = new LogRecord(Level.SEVERE, null);
        assertThat(SignInFilter.sentence(empty)).contains("no reason was given");
    }

    @Test
    void secretsAreNotLogged() {
        assertThat(new SignInFilter().isLoggable(new LogRecord(Level.FINE, SECRET)))
                .isFalse();
        assertThat(new SignInFilter().isLoggable(new LogRecord(Level.SEVERE, SECRET)))
                .isFalse();
    }
}
