package io.trainyard.checkpoint;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.spec.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.DigestInputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Completes a checkpoint. It is written after the other files and contains their hashes and its own hash. A
/// checkpoint without a manifest, or with different bytes, does not count.
///
/// @param accuracy of the test of these weights, 0..1; null within an epoch and for regression
/// @param testLoss of that test; null within an epoch
/// @param metricScore of that test by the job's metric, higher is better; null if that is accuracy or loss as usual
/// @param files the model and the training state
/// @param pending events up to this step, as JSON, that the brokers had not acknowledged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Manifest(
        int attempt,
        long step,
        @Nullable Double accuracy,
        @Nullable Double testLoss,
        @Nullable Double metricScore,
        List<StoredFile> files,
        List<String> pending) {
    private static final String OWN_HASH = "sha256";
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /// @param name in the manifest's folder
    /// @param sha256 of its bytes, hexadecimal
    public record StoredFile(String name, String sha256, long bytes) {}

    public Manifest {
        files = List.copyOf(files);
        pending = List.copyOf(pending);
    }

    /// The quality of the weights, higher is better; null without a test.
    @JsonIgnore
    public @Nullable Double score() {
        return metricScore != null
                ? metricScore
                : accuracy == null && testLoss != null ? Double.valueOf(-testLoss) : accuracy;
    }

    byte[] write() {
        ObjectNode json = MAPPER.valueToTree(this);
        json.put(OWN_HASH, hash(json));
        return bytes(json);
    }

    /// @throws CheckpointException if it is damaged; the message says how
    static Manifest read(byte[] bytes) {
        try {
            if (MAPPER.readTree(bytes) instanceof ObjectNode json) {
                String expected = json.path(OWN_HASH).asText();
                json.remove(OWN_HASH);
                if (expected.equals(hash(json))) {
                    return MAPPER.treeToValue(json, Manifest.class);
                }
                throw new CheckpointException("its manifest is not as it was written: its SHA-256 is another");
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new CheckpointException("its manifest is damaged: " + e.getMessage(), e);
        }
        throw new CheckpointException("its manifest is damaged: it is not a JSON object");
    }

    /// Reads a file of tensors once and verifies it against the manifest before any other check.
    ///
    /// @param key of one of its files
    /// @throws CheckpointException if it is missing, has another size or hash, or is not a file of tensors
    SafeTensors readIntact(CheckpointStore store, String key) {
        StoredFile expected = files.stream()
                .filter(file -> key.endsWith("/" + file.name()))
                .findFirst()
                .orElseThrow(() -> new CheckpointException("its manifest does not name %s".formatted(key)));
        try (CountedDigest in = new CountedDigest(
                store.open(key).orElseThrow(() -> new CheckpointException(expected.name() + " is missing")))) {
            SafeTensors tensors;
            try {
                tensors = SafeTensors.read(in);
            } catch (CheckpointException | IllegalArgumentException | DeviceMemoryException e) {
                in.transferTo(OutputStream.nullOutputStream());
                in.require(expected);
                throw e;
            }
            in.require(expected);
            return tensors;
        } catch (IOException e) {
            throw new StoreException("%s cannot be read: %s".formatted(store.uri(key), e), e);
        }
    }

    private static final class CountedDigest extends DigestInputStream {
        private long bytes;

        CountedDigest(InputStream in) {
            super(in, Sha256.digest());
        }

        @Override
        public int read() throws IOException {
            int read = super.read();
            bytes += read < 0 ? 0 : 1;
            return read;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            int read = super.read(to, offset, length);
            bytes += Math.max(0, read);
            return read;
        }

        void require(StoredFile expected) {
            if (bytes != expected.bytes()) {
                throw new CheckpointException(
                        "%s has %d bytes; its manifest states %d".formatted(expected.name(), bytes, expected.bytes()));
            }
            String sha256 = Sha256.text(getMessageDigest());
            if (!sha256.equals(expected.sha256())) {
                throw new CheckpointException(
                        "%s has other bytes than were written: their SHA-256 is %s; its manifest states %s"
                                .formatted(expected.name(), sha256, expected.sha256()));
            }
        }
    }

    private static String hash(ObjectNode json) {
        var digest = Sha256.digest();
        digest.update(bytes(json));
        return Sha256.text(digest);
    }

    private static byte[] bytes(ObjectNode json) {
        try {
            return MAPPER.writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a manifest is always writable", e);
        }
    }
}
