package io.trainyard.cli;

import io.trainyard.device.gang.Port;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// How processes that train a job together reach one another, and know that they may.
public final class PartnerOptions {
    private static final int LEAST_SECRET = 16;
    private static final int MOST_SECRET = 4096;
    private static final int PORTS = 65_536;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--secret",
            paramLabel = "FILE",
            description = "A file with 16 characters or more that all processes of the job have; others are sent away.")
    private @Nullable Path secret;

    @Option(
            names = "--host",
            paramLabel = "H",
            description = "This machine's address, as the other processes reach it (default: that of its name).")
    private @Nullable String host;

    @Option(
            names = "--port",
            paramLabel = "P",
            description =
                    "The port that other processes connect to; of join the first of 16 that is free (default: any).")
    private int port;

    Port port() {
        if (port < 0 || port >= PORTS - Port.TRIED) {
            throw wrong("--port is %d; allowed is 1 to %d, or 0 for any".formatted(port, PORTS - Port.TRIED - 1));
        }
        return new Port(host == null ? ownAddress() : host, port);
    }

    private String ownAddress() {
        try {
            return InetAddress.getLocalHost().getHostAddress();
        } catch (UnknownHostException e) {
            throw wrong("this machine does not know its address (%s); give it with --host".formatted(e.getMessage()));
        }
    }

    /// What the file's content comes to.
    byte[] secret() {
        Path file = secret;
        if (file == null) {
            throw wrong(
                    "--secret is missing; give all processes of the job the same file, such as: openssl rand -hex 32");
        }
        try {
            byte[] content = Files.size(file) > MOST_SECRET ? new byte[0] : Files.readAllBytes(file);
            byte[] text = new String(content, StandardCharsets.UTF_8).strip().getBytes(StandardCharsets.UTF_8);
            if (text.length < LEAST_SECRET) {
                throw wrong("--secret is %s, which has not %d to %d characters; make one with: openssl rand -hex 32"
                        .formatted(file, LEAST_SECRET, MOST_SECRET));
            }
            return MessageDigest.getInstance("SHA-256").digest(text);
        } catch (IOException e) {
            throw wrong("--secret is %s, which cannot be read: %s".formatted(file, e.getMessage()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
