package io.trainyard.s3;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/// An object opened for reading.
///
/// @param content must be closed; if it is not read to its end, its connection is lost
/// @param sha256 of the content, hexadecimal; null if it was uploaded in parts, or by another program
/// @param bytes its size
public record S3Object(InputStream content, @Nullable String sha256, long bytes) {
    static S3Object of(ResponseInputStream<GetObjectResponse> response) {
        return new S3Object(
                new Content(response),
                response.response().metadata().get(S3Bucket.SHA256),
                response.response().contentLength());
    }

    /// Converts exceptions to those of streams.
    private static final class Content extends FilterInputStream {
        Content(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            try {
                return in.read();
            } catch (SdkException e) {
                throw S3Failures.of(e);
            }
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            try {
                return in.read(bytes, offset, length);
            } catch (SdkException e) {
                throw S3Failures.of(e);
            }
        }
    }
}
