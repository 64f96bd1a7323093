package io.trainyard.s3;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/// An object that is being read.
///
/// @param content to be closed; one that is not read to its end costs its connection
/// @param sha256 of what was written, hexadecimal; null where it was written in parts, or by somebody else
/// @param bytes its size
public record S3Object(InputStream content, @Nullable String sha256, long bytes) {
    static S3Object of(ResponseInputStream<GetObjectResponse> response) {
        return new S3Object(
                new Content(response),
                response.response().metadata().get(S3Bucket.SHA256),
                response.response().contentLength());
    }

    /// Fails as streams do.
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
