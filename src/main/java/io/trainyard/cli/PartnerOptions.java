package io.trainyard.cli;

import io.trainyard.device.gang.Port;
import io.trainyard.device.gang.SharedSecret;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// How processes that train a job together reach one another, and know that they may.
public final class PartnerOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--secret",
            paramLabel = "FILE",
            description = {
                "For jobs that several processes train together: a file with 16 characters or more",
                "that all of them have; others are sent away."
            })
    private @Nullable Path secret;

    @Option(
            names = "--host",
            paramLabel = "H",
            description = "This machine's address, as those other processes reach it (default: that of its name).")
    private @Nullable String host;

    @Option(
            names = "--port",
            paramLabel = "P",
            description =
                    "The port that those processes connect to; of those that join or work the first of 16 that is free (default: any).")
    private int port;

    Port port() {
        return Port.at(host, port);
    }

    boolean isGiven() {
        return secret != null;
    }

    /// What the file's content comes to.
    byte[] secret() {
        Path file = secret;
        if (file == null) {
            throw new ParameterException(
                    command.commandLine(),
                    "--secret is missing; give all processes of the job the same file, such as: openssl rand -hex 32");
        }
        return SharedSecret.read(file);
    }

    /// As a worker's settings.
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        if (secret != null) {
            settings.put("trainyard.worker.partners.secret", secret.toString());
        }
        if (host != null) {
            settings.put("trainyard.worker.partners.host", host);
        }
        if (port != 0) {
            settings.put("trainyard.worker.partners.port", Integer.toString(port));
        }
        return settings;
    }
}
