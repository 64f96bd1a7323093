package io.trainyard.s3;

import io.trainyard.Patience;
import io.trainyard.s3.S3Settings.Encryption;
import java.net.URI;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Object;

/// Access to a bucket as with another tool.
public final class S3ServerAccess {
    private S3ServerAccess() {}

    private static S3Client client(S3Server server) {
        return S3Clients.of(server.settings());
    }

    public static String user() {
        return S3Server.USER;
    }

    public static String secret() {
        return S3Server.SECRET;
    }

    public static S3Settings encrypting(URI endpoint) {
        S3Settings plain = S3Server.settings(endpoint, Patience.LIMIT);
        return new S3Settings(
                endpoint, plain.region(), true, Encryption.AES256, null, plain.timeout(), plain.partBytes());
    }

    /// Virtual-hosted style as at Amazon: `http://bucket.localhost:port/key`.
    public static S3Settings byHost(URI endpoint) {
        S3Settings plain = S3Server.settings(endpoint, Patience.LIMIT);
        return new S3Settings(endpoint, plain.region(), false, null, null, plain.timeout(), plain.partBytes());
    }

    /// All keys of a bucket, with their prefix.
    public static List<String> keys(S3Server server, URI place) {
        return client(server).listObjectsV2(request -> request.bucket(place.getAuthority())).contents().stream()
                .map(S3Object::key)
                .toList();
    }

    /// Unfinished multipart uploads.
    public static List<String> uploads(S3Server server, URI place, String folder) {
        String prefix = S3Location.of(place).full(folder) + "/";
        return client(server).listMultipartUploads(request -> request.bucket(place.getAuthority())).uploads().stream()
                .map(MultipartUpload::key)
                .filter(key -> key.startsWith(prefix))
                .toList();
    }

    public static void begin(S3Server server, URI place, String key) {
        String full = S3Location.of(place).full(key);
        String id = client(server)
                .createMultipartUpload(
                        request -> request.bucket(place.getAuthority()).key(full))
                .uploadId();
        var _ = client(server)
                .uploadPart(
                        request -> request.bucket(place.getAuthority())
                                .key(full)
                                .uploadId(id)
                                .partNumber(1),
                        RequestBody.fromBytes(new byte[5 << 20]));
    }

    public static void put(S3Server server, URI place, String key, byte[] content) {
        put(server, place, key, content, Map.of());
    }

    /// Writes an object with a false hash in its metadata.
    public static void putClaiming(S3Server server, URI place, String key, byte[] content, String sha256) {
        put(server, place, key, content, Map.of(S3Bucket.SHA256, sha256));
    }

    private static void put(S3Server server, URI place, String key, byte[] content, Map<String, String> metadata) {
        var _ = client(server)
                .putObject(
                        PutObjectRequest.builder()
                                .bucket(place.getAuthority())
                                .key(S3Location.of(place).full(key))
                                .metadata(metadata)
                                .build(),
                        RequestBody.fromBytes(content));
    }
}
