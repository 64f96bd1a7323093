package io.trainyard.ownership;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/// A compact ownership, because there may be a million: its JSON, compressed with another one as the
/// dictionary. Both are similar if they are trials of the same sweep.
final class PackedOwnership {
    private static final int CHUNK = 1 << 10;

    /// Decompressed data beyond this size is not JSON that was packed here.
    private static final int MAX_BYTES = 64 << 20;

    private final byte[] bytes;

    private PackedOwnership(byte[] bytes) {
        this.bytes = bytes;
    }

    static PackedOwnership of(Ownership ownership, byte[] dictionary) {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        try {
            deflater.setDictionary(dictionary);
            deflater.setInput(OwnershipJson.write(ownership));
            deflater.finish();
            ByteArrayOutputStream packed = new ByteArrayOutputStream(CHUNK);
            byte[] chunk = new byte[CHUNK];
            while (!deflater.finished()) {
                packed.write(chunk, 0, deflater.deflate(chunk));
            }
            return new PackedOwnership(packed.toByteArray());
        } finally {
            deflater.end();
        }
    }

    Ownership unpack(byte[] dictionary) {
        Inflater inflater = new Inflater(true);
        try {
            inflater.setDictionary(dictionary);
            inflater.setInput(bytes);
            ByteArrayOutputStream json = new ByteArrayOutputStream(CHUNK);
            byte[] chunk = new byte[CHUNK];
            while (!inflater.finished() && json.size() < MAX_BYTES) {
                json.write(chunk, 0, inflater.inflate(chunk));
            }
            return OwnershipJson.read(json.toByteArray());
        } catch (DataFormatException e) {
            throw new IllegalStateException("packed data is valid", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            inflater.end();
        }
    }
}
