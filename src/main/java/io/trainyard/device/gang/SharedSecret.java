package io.trainyard.device.gang;

import io.trainyard.device.DeviceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// What processes that train jobs together know, and others do not: a file.
public final class SharedSecret {
    private static final int LEAST = 16;
    private static final int MOST = 4096;

    private SharedSecret() {}

    /// What the file's content comes to, without white space around it.
    ///
    /// @throws DeviceException if it cannot be read, or is too short
    public static byte[] read(Path file) {
        try {
            byte[] content = Files.size(file) > MOST ? new byte[0] : Files.readAllBytes(file);
            byte[] text = new String(content, StandardCharsets.UTF_8).strip().getBytes(StandardCharsets.UTF_8);
            if (text.length < LEAST) {
                throw new DeviceException(
                        "--secret is %s, which has not %d to %d characters; make one with: openssl rand -hex 32"
                                .formatted(file, LEAST, MOST));
            }
            return MessageDigest.getInstance("SHA-256").digest(text);
        } catch (IOException e) {
            throw new DeviceException("--secret is %s, which cannot be read: %s".formatted(file, e.getMessage()), e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
