package io.trainyard.alert;

import io.trainyard.spec.SimilarNames;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The form of an alert's JSON.
public enum AlertFormat {
    /// Standard Webhooks, signed.
    STANDARD,

    /// Slack's incoming webhooks, and servers that accept the same, such as Mattermost.
    SLACK,

    /// Microsoft Teams' workflows that post an adaptive card.
    TEAMS;

    /// Checks the settings of the dashboard before it starts.
    ///
    /// @param url of the webhook; empty: no alerts are sent
    /// @throws IllegalArgumentException if one is missing or wrong, in a sentence
    public static void check(Optional<String> format, Optional<String> url, Optional<String> secret) {
        if (url.isPresent()) {
            named(format.orElse("standard")).requireSecret(secret);
            secret.ifPresent(Signature::new);
            var _ = AlertSender.address(url.get());
        }
    }

    private static AlertFormat named(String name) {
        List<String> known = Arrays.stream(values())
                .map(format -> format.name().toLowerCase(Locale.ROOT))
                .toList();
        if (!known.contains(name)) {
            throw new IllegalArgumentException("TRAINYARD_DASHBOARD_ALERTS_FORMAT is \"%s\"; allowed is %s%s"
                    .formatted(name, String.join(", ", known), SimilarNames.hint(name, known)));
        }
        return values()[known.indexOf(name)];
    }

    /// @throws IllegalArgumentException if this form needs a secret and there is none
    public void requireSecret(Optional<String> secret) {
        if (this == STANDARD && secret.isEmpty()) {
            throw new IllegalArgumentException(
                    "alerts have an address and no secret; set TRAINYARD_DASHBOARD_ALERTS_SECRET to what openssl rand -base64 32 prints, or TRAINYARD_DASHBOARD_ALERTS_FORMAT to slack or teams, which need none");
        }
    }
}
