package io.trainyard.alert;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Signs bodies according to the Standard Webhooks specification: HMAC-SHA256 over id, time and body.
public final class Signature {
    private static final String PREFIX = "whsec_";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int MIN_BYTES = 24;
    private static final int MAX_BYTES = 64;

    private final SecretKeySpec key;

    /// @param secret 24 to 64 bytes in Base64, with or without the prefix `whsec_`
    /// @throws IllegalArgumentException if it is invalid
    public Signature(String secret) {
        byte[] bytes = decoded(secret.startsWith(PREFIX) ? secret.substring(PREFIX.length()) : secret);
        if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "the secret of the alerts is not Base64 of %d to %d bytes; openssl rand -base64 32 makes one"
                            .formatted(MIN_BYTES, MAX_BYTES));
        }
        key = new SecretKeySpec(bytes, ALGORITHM);
    }

    private static byte[] decoded(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException _) {
            return new byte[0];
        }
    }

    /// The value of the signature header.
    String of(String id, long seconds, String body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            byte[] signed = (id + "." + seconds + "." + body).getBytes(StandardCharsets.UTF_8);
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(signed));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HMAC-SHA256", e);
        }
    }
}
