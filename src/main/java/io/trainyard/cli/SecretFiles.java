package io.trainyard.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/// Settings that are secret, from files: where `TRAINYARD_SIGN_IN_SECRET` may be set, `TRAINYARD_SIGN_IN_SECRET_FILE`
/// may,
/// with the path of a file that holds it, as containers mount them. Neither shows in a list of processes.
final class SecretFiles {
    private static final int MAX_BYTES = 64 << 10;
    private static final String ENDING = "_FILE";

    /// By variable, under which name the process knows it.
    static final Map<String, String> SECRETS = Map.of(
            "TRAINYARD_DASHBOARD_TRACKING", "trainyard.dashboard.tracking",
            "TRAINYARD_SIGN_IN_SECRET", "trainyard.sign-in.secret",
            "TRAINYARD_DASHBOARD_ALERTS_URL", "trainyard.dashboard.alerts.url",
            "TRAINYARD_DASHBOARD_ALERTS_SECRET", "trainyard.dashboard.alerts.secret");

    private SecretFiles() {}

    /// A file of secrets cannot be used. The message names the variable and the file, and not what is in it.
    static final class SecretFileException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SecretFileException(String message) {
            super(message);
        }
    }

    /// What files say, by the names that the process knows them by.
    ///
    /// @param environment variables and their values
    /// @throws SecretFileException if a file cannot be read, or the secret is given twice
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
