package io.trainyard.dashboard;

import io.quarkus.logging.LoggingFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jboss.logmanager.ExtLogRecord;

/// Rewrites the log messages of the OpenID Connect library. They contain the provider's responses, which may
/// repeat the dashboard's secret, a code or a token. Only the fields that the standard defines are logged: the
/// status and the error code (RFC 6749, section 5.2).
@LoggingFilter(name = "sign-in")
public final class SignInFilter implements Filter {
    private static final System.Logger LOG = System.getLogger(SignInFilter.class.getName());

    private static final Pattern STATUS = Pattern.compile("\\bstatus:? ([1-5][0-9]{2})\\b");
    private static final Pattern KIND = Pattern.compile(
            "\\b(invalid_(?:request|client|grant|scope|token)|unauthorized_client|unsupported_grant_type|access_denied|server_error|temporarily_unavailable)\\b");

    @Override
    public boolean isLoggable(LogRecord entry) {
        if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
            LOG.log(System.Logger.Level.WARNING, sentence(entry));
        }
        return false;
    }

    static String sentence(LogRecord entry) {
        List<String> causes = new ArrayList<>();
        StringBuilder said = new StringBuilder(
                String.valueOf(ExtLogRecord.wrap(entry).getFormattedMessage())); // the library uses printf formats
        for (Throwable cause = entry.getThrown(); cause != null; cause = cause.getCause()) {
            causes.add(cause.getClass().getSimpleName());
            said.append(' ').append(cause.getMessage());
        }
        List<String> known = new ArrayList<>();
        Matcher status = STATUS.matcher(said);
        if (status.find()) {
            known.add("status " + status.group(1));
        }
        Matcher kind = KIND.matcher(said);
        if (kind.find()) {
            known.add(kind.group(1));
        }
        known.addAll(causes);
        return "a sign-in failed (%s): %s; see the provider's log"
                .formatted(reporter(entry), known.isEmpty() ? "no reason was given" : String.join(", ", known));
    }

    private static String reporter(LogRecord entry) {
        String name = String.valueOf(entry.getLoggerName());
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
