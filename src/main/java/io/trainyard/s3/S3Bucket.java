package io.trainyard.s3;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// The objects below a prefix of a bucket. All methods throw an [IOException] with the server's answer; the
/// caller adds the context.
public final class S3Bucket {
    /// Metadata keys of objects: the hash of the content, and the call that wrote it.
    static final String SHA256 = "trainyard-sha256";

    static final String WRITER = "trainyard-writer";

    private final S3Location at;
    private final S3Settings settings;
    private final S3Client client;

    private S3Bucket(S3Location at, S3Settings settings, S3Client client) {
        this.at = at;
        this.settings = settings;
        this.client = client;
    }

    /// Sends no request.
    public static S3Bucket at(S3Location place, S3Settings settings) throws IOException {
        try {
            return new S3Bucket(place, settings, S3Clients.of(settings));
        } catch (SdkException e) {
            throw S3Failures.of(e);
        }
    }

    public S3Location location() {
        return at;
    }

    private static <T> T ask(Supplier<T> request) throws IOException {
        try {
            return request.get();
        } catch (SdkException e) {
            throw S3Failures.of(e);
        }
    }

    /// Creates an object if it does not exist; of concurrent calls exactly one succeeds.
    ///
    /// A retry after a lost response is refused because of the object that this call itself created. The object's
    /// metadata identifies its writer.
    ///
    /// @return whether this call created it
    public boolean putIfAbsent(String key, byte[] content) throws IOException {
        String writer = UUID.randomUUID().toString();
        try {
            var _ = client.putObject(
                    put(key, writer, content, content.length).ifNoneMatch("*").build(), body(content, content.length));
            return true;
        } catch (S3Exception e) {
            if (e.statusCode() == S3Failures.PRECONDITION_FAILED) {
                return isFrom(key, writer);
            }
            throw S3Failures.of(e);
        } catch (SdkException e) {
            throw S3Failures.of(e);
        }
    }

    /// Whether the existing object was written by a call.
    boolean isFrom(String key, String writer) throws IOException {
        return ask(() -> {
            try {
                return writer.equals(
                        client.headObject(request -> request.bucket(at.bucket()).key(at.full(key)))
                                .metadata()
                                .get(WRITER));
            } catch (NoSuchKeyException _) {
                return false;
            }
        });
    }

    /// Streams an object, and replaces an existing one; holds at most one part in memory.
    ///
    /// @return an output to write and complete; if it is closed before, nothing is stored
    public S3Output write(String key) {
        return new S3Output(this, key);
    }

    void put(String key, byte[] content, int length) throws IOException {
        var _ = ask(() -> client.putObject(
                put(key, UUID.randomUUID().toString(), content, length).build(), body(content, length)));
    }

    private PutObjectRequest.Builder put(String key, String writer, byte[] content, int length) {
        byte[] sha256 = sha256(content, length);
        PutObjectRequest.Builder request = PutObjectRequest.builder()
                .bucket(at.bucket())
                .key(at.full(key))
                .checksumSHA256(Base64.getEncoder().encodeToString(sha256))
                .metadata(Map.of(WRITER, writer, SHA256, HexFormat.of().formatHex(sha256)));
        if (settings.encryption() != null) {
            request.serverSideEncryption(settings.encryption().header()).ssekmsKeyId(settings.kmsKey());
        }
        return request;
    }

    /// Opens an object for reading; empty if it does not exist.
    public Optional<S3Object> open(String key) throws IOException {
        return ask(() -> {
            try {
                return Optional.of(S3Object.of(
                        client.getObject(request -> request.bucket(at.bucket()).key(at.full(key)))));
            } catch (NoSuchKeyException _) {
                return Optional.empty();
            }
        });
    }

    public boolean has(String key) throws IOException {
        return ask(() -> {
            try {
                var _ = client.headObject(request -> request.bucket(at.bucket()).key(at.full(key)));
                return true;
            } catch (NoSuchKeyException _) {
                return false;
            }
        });
    }

    /// Deletes an object, if it exists.
    public void delete(String key) throws IOException {
        var _ = ask(
                () -> client.deleteObject(request -> request.bucket(at.bucket()).key(at.full(key))));
    }

    /// The keys that begin with `folder/`, one level deep, in alphabetical order; folders have no trailing slash.
    public List<String> list(String folder) throws IOException {
        String prefix = at.full(folder) + "/";
        TreeSet<String> keys = new TreeSet<>();
        return ask(() -> {
            client.listObjectsV2Paginator(request ->
                            request.bucket(at.bucket()).prefix(prefix).delimiter("/"))
                    .forEach(page -> {
                        page.contents().forEach(object -> keys.add(at.key(object.key())));
                        page.commonPrefixes()
                                .forEach(common ->
                                        keys.add(at.key(common.prefix()).replaceFirst("/$", "")));
                    });
            keys.remove(folder + "/"); // placeholder of the folder
            return List.copyOf(keys);
        });
    }

    /// All objects with keys that begin with `folder/`, at any depth, in alphabetical order.
    ///
    /// @param most objects; more are an [IOException]
    public List<S3Entry> listAll(String folder, int most) throws IOException {
        String prefix = at.full(folder) + "/";
        List<S3Entry> found = new ArrayList<>();
        boolean all = ask(() -> {
            for (ListObjectsV2Response page : client.listObjectsV2Paginator(
                    request -> request.bucket(at.bucket()).prefix(prefix))) {
                page.contents()
                        .forEach(object -> found.add(
                                new S3Entry(at.key(object.key()), object.size(), String.valueOf(object.eTag()))));
                if (found.size() > most) {
                    return false;
                }
            }
            return true;
        });
        if (!all) {
            throw new IOException("it has more than %d objects".formatted(most));
        }
        return found;
    }

    /// Opens an object at an offset, if it is unchanged since it was listed.
    ///
    /// @param tag the ETag of its content
    /// @param from offset in bytes
    public S3Object open(String key, String tag, long from) throws IOException {
        return S3Object.of(ask(() -> client.getObject(request -> request.bucket(at.bucket())
                .key(at.full(key))
                .ifMatch(tag)
                .range(from == 0 ? null : "bytes=%d-".formatted(from)))));
    }

    /// Identifies the server, the bucket and the prefix.
    public String id() {
        return "%s %s".formatted(settings.endpoint(), at);
    }

    /// Aborts all incomplete multipart uploads below a folder, including those in progress.
    public void abortUploads(String folder) throws IOException {
        String prefix = at.full(folder) + "/";
        var _ = ask(() -> {
            for (ListMultipartUploadsResponse page : client.listMultipartUploadsPaginator(
                    request -> request.bucket(at.bucket()).prefix(prefix))) {
                page.uploads().stream()
                        .filter(upload -> upload.key().startsWith(prefix))
                        .forEach(this::abort);
            }
            return true;
        });
    }

    private void abort(MultipartUpload upload) {
        abort(upload.key(), upload.uploadId());
    }

    void abortUpload(String full, String uploadId) throws IOException {
        var _ = ask(() -> {
            abort(full, uploadId);
            return true;
        });
    }

    private void abort(String full, String uploadId) {
        try {
            var _ = client.abortMultipartUpload(
                    request -> request.bucket(at.bucket()).key(full).uploadId(uploadId));
        } catch (S3Exception e) {
            if (e.statusCode() != S3Failures.NOT_FOUND) {
                throw e;
            }
        }
    }

    /// Checks that the bucket exists and is readable.
    ///
    /// @throws IOException if not
    public void requireReadable() throws IOException {
        String prefix = at.prefix().isEmpty() ? "" : at.prefix() + "/";
        var _ = ask(() -> client.listObjectsV2(
                request -> request.bucket(at.bucket()).prefix(prefix).maxKeys(1)));
    }

    /// Whether the server refuses the second of two conditional writes; some servers ignore the condition.
    public boolean refusesSecond() throws IOException {
        String probe = ".probe-" + UUID.randomUUID();
        try {
            boolean first = putIfAbsent(probe, new byte[0]);
            return first && !putIfAbsent(probe, new byte[0]);
        } finally {
            delete(probe);
        }
    }

    S3Upload beginUpload(String key) throws IOException {
        String writer = UUID.randomUUID().toString();
        return new S3Upload(this, key, writer, ask(() -> S3Upload.begin(client, at, key, writer, settings)));
    }

    S3Client client() {
        return client;
    }

    S3Settings settings() {
        return settings;
    }

    static RequestBody body(byte[] content, int length) {
        return RequestBody.fromContentProvider(
                () -> new ByteArrayInputStream(content, 0, length), length, "application/octet-stream");
    }

    static byte[] sha256(byte[] content, int length) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(content, 0, length);
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
