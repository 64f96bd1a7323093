package io.trainyard.s3;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Writes an object, in one request if it is small, otherwise in parts. The object appears, complete, when
/// [#complete] returns.
public final class S3Output extends OutputStream {
    private static final int FIRST_BYTES = 1 << 16;

    private final S3Bucket bucket;
    private final String key;
    private byte[] part = new byte[FIRST_BYTES];
    private int filled;
    private @Nullable S3Upload upload;
    private boolean completed;

    S3Output(S3Bucket bucket, String key) {
        this.bucket = bucket;
        this.key = key;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int from = offset;
        int left = length;
        while (left > 0) {
            if (filled == bucket.settings().partBytes()) {
                sendPart();
            }
            int now = Math.min(left, bucket.settings().partBytes() - filled);
            freeSpace(filled + now);
            System.arraycopy(bytes, from, part, filled, now);
            filled += now;
            from += now;
            left -= now;
        }
    }

    private void freeSpace(int bytes) {
        if (bytes > part.length) {
            int doubled = (int) Math.min(bucket.settings().partBytes(), 2L * part.length);
            part = Arrays.copyOf(part, Math.max(bytes, doubled));
        }
    }

    private void sendPart() throws IOException {
        if (upload == null) {
            upload = bucket.beginUpload(key);
        }
        upload.send(part, filled);
        filled = 0;
    }

    public void complete() throws IOException {
        if (upload == null) {
            bucket.put(key, part, filled);
        } else {
            sendPart(); // never empty: a part is only sent when more data follows
            upload.complete();
        }
        completed = true;
    }

    /// Aborts the upload if it was not completed.
    @Override
    public void close() throws IOException {
        if (upload != null && !completed) {
            upload.abort();
        }
    }
}
