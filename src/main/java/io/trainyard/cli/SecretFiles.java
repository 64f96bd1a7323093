package io.trainyard.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/// Reads secret settings from files, such as secrets mounted into a container. For each variable like
/// `TRAINYARD_SIGN_IN_SECRET`, a variable with the suffix `_FILE` can name a file with the value. Neither
/// appears in process lists.
final class SecretFiles {
    private static final int MAX_BYTES = 64 << 10;
    private static final String ENDING = "_FILE";

    /// Setting names by environment variable.
    static final Map<String, String> SECRETS = Map.of(
            "TRAINYARD_DASHBOARD_TRACKING", "trainyard.dashboard.tracking",
            "TRAINYARD_SIGN_IN_SECRET", "trainyard.sign-in.secret",
            "TRAINYARD_DASHBOARD_ALERTS_URL", "trainyard.dashboard.alerts.url",
            "TRAINYARD_DASHBOARD_ALERTS_SECRET", "trainyard.dashboard.alerts.secret");

    private SecretFiles() {}

    /// A secret file cannot be used. The message contains the variable and the path, but not the content.
    static final class SecretFileException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SecretFileException(String message) {
            super(message);
        }
    }

    /// The settings from files, by setting name.
    ///
    /// @param environment variables and their values
    /// @throws SecretFileException if a file cannot be read or a secret is set twice
    static Map<String, String> read(Map<String, String> environment) {
        Map<String, String> settings = new LinkedHashMap<>();
        SECRETS.forEach((variable, setting) -> {
            String file = environment.getOrDefault(variable + ENDING, "");
            if (!file.isBlank()) {
                if (!environment.getOrDefault(variable, "").isBlank()) {
                    throw new SecretFileException(
                            "%s and %s%s are both set; leave one of them out".formatted(variable, variable, ENDING));
                }
                settings.put(setting, read(variable + ENDING, Path.of(file)));
            }
        });
        return settings;
    }

    private static String read(String variable, Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw unusable(variable, file, "it has more than %d bytes".formatted(MAX_BYTES));
            }
            String secret = Files.readString(file, StandardCharsets.UTF_8).strip();
            if (secret.isEmpty() || secret.lines().count() > 1) {
                throw unusable(
                        variable,
                        file,
                        "it has %d lines".formatted(secret.lines().count()));
            }
            return secret;
        } catch (NoSuchFileException _) {
            throw unusable(variable, file, "it is not there");
        } catch (IOException e) {
            throw unusable(
                    variable,
                    file,
                    Files.isDirectory(file) ? "it is a folder" : e.getClass().getSimpleName());
        }
    }

    private static SecretFileException unusable(String variable, Path file, String why) {
        return new SecretFileException("%s is %s, which cannot be used: %s; name a file with the secret on its one line"
                .formatted(variable, file, why));
    }
}
