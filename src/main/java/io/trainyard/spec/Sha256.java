package io.trainyard.spec;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

public final class Sha256 {
    private Sha256() {}

    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /// The hash in hexadecimal; resets the digest.
    public static String text(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }
}
