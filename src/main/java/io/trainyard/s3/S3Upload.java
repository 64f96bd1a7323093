package io.trainyard.s3;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// A multipart upload: the server keeps the parts until it is completed or aborted.
final class S3Upload {
    private static final int MOST_PARTS = 10_000;

    private final S3Bucket bucket;
    private final String key;
    private final String writer;
    private final String id;
    private final List<CompletedPart> parts = new ArrayList<>();

    S3Upload(S3Bucket bucket, String key, String writer, String id) {
        this.bucket = bucket;
        this.key = key;
        this.writer = writer;
        this.id = id;
    }

    /// @return the server's upload id
    static String begin(S3Client client, S3Location at, String key, String writer, S3Settings settings) {
        CreateMultipartUploadRequest.Builder request = CreateMultipartUploadRequest.builder()
                .bucket(at.bucket())
                .key(at.full(key))
                .checksumAlgorithm(ChecksumAlgorithm.SHA256)
                .metadata(Map.of(S3Bucket.WRITER, writer));
        if (settings.encryption() != null) {
            request.serverSideEncryption(settings.encryption().header()).ssekmsKeyId(settings.kmsKey());
        }
        return client.createMultipartUpload(request.build()).uploadId();
    }

    void send(byte[] part, int length) throws IOException {
        int number = parts.size() + 1;
        if (number > MOST_PARTS) {
            throw new IOException("it has more than %d parts of %d bytes, which is all that S3 allows"
                    .formatted(MOST_PARTS, bucket.settings().partBytes()));
        }
        String sha256 = Base64.getEncoder().encodeToString(S3Bucket.sha256(part, length));
        try {
            String tag = bucket.client()
                    .uploadPart(
                            request -> request.bucket(bucket.location().bucket())
                                    .key(full())
                                    .uploadId(id)
                                    .partNumber(number)
                                    .checksumSHA256(sha256),
                            S3Bucket.body(part, length))
                    .eTag();
            parts.add(CompletedPart.builder()
                    .partNumber(number)
                    .eTag(tag)
                    .checksumSHA256(sha256)
                    .build());
        } catch (SdkException e) {
            throw S3Failures.of(e);
        }
    }

    /// Combines the parts, which takes a while for many.
    void complete() throws IOException {
        CompleteMultipartUploadRequest request = CompleteMultipartUploadRequest.builder()
                .bucket(bucket.location().bucket())
                .key(full())
                .uploadId(id)
                .multipartUpload(all -> all.parts(parts))
                .overrideConfiguration(
                        limits -> limits.apiCallAttemptTimeout(bucket.settings().timeout()))
                .build();
        try {
            var _ = bucket.client().completeMultipartUpload(request);
        } catch (S3Exception e) {
            // A retry after a lost response: the upload may be complete already.
            if (e.statusCode() != S3Failures.NOT_FOUND || !bucket.isFrom(key, writer)) {
                throw S3Failures.of(e);
            }
        } catch (SdkException e) {
            throw S3Failures.of(e);
        }
    }

    void abort() throws IOException {
        bucket.abortUpload(full(), id);
    }

    private String full() {
        return bucket.location().full(key);
    }
}
