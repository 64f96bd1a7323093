package io.trainyard.checkpoint;

import io.trainyard.s3.S3Location;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/// A store of objects under keys such as `job-1/spec.json`. Objects are written atomically.
///
/// All methods throw [StoreException] if the store cannot be used; the message names the object.
public interface CheckpointStore {
    /// The identity of the store: a UUID that the first caller creates and all workers share. Equal paths on
    /// two machines are different stores.
    ///
    /// @throws CheckpointException if the stored identity is not a UUID
    String identity();

    /// The URI of an object, for users and other programs.
    URI uri(String key);

    /// Stores `content` unless the object exists. If several callers compete, exactly one succeeds.
    ///
    /// @return whether it was stored
    boolean createIfAbsent(String key, byte[] content);

    /// Creates an empty object unless it exists. It is not synced to disk, so it may be lost if the machine
    /// stops.
    default void note(String key) {
        var _ = createIfAbsent(key, new byte[0]);
    }

    /// Writes or replaces an object. It is on disk when this method returns.
    CheckpointRef write(String key, Content content);

    /// Opens an object for reading; empty if it does not exist.
    Optional<InputStream> open(String key);

    /// Reads an object; empty if it does not exist.
    default Optional<byte[]> read(String key) {
        Optional<InputStream> found = open(key);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        try (InputStream in = found.get()) {
            return Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new StoreException("%s cannot be read: %s".formatted(uri(key), e), e);
        }
    }

    boolean has(String key);

    /// Deletes an object if it exists.
    void delete(String key);

    /// Removes unfinished files of killed writers from a folder. A writer that is still active fails.
    void sweep(String folder);

    /// The keys that begin with `folder/`, one level deep, in alphabetical order.
    List<String> list(String folder);

    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /// Opens the store of a URI: `file:///checkpoints` or a path of a folder, which is created if it does not
    /// exist; or `s3://bucket/prefix` with an existing bucket.
    ///
    /// @throws CheckpointException if the scheme is unknown or a required feature is missing
    /// @throws StoreException if the folder cannot be created or written, or the bucket cannot be reached
    static CheckpointStore open(URI uri) {
        return isInBucket(uri) ? S3Store.open(uri, S3Store.settings()) : DirectoryStore.open(uri);
    }

    /// Opens an existing store for reading. Nothing is written.
    ///
    /// @throws CheckpointException if the scheme is unknown or the folder cannot be read
    /// @throws StoreException if the bucket cannot be read
    static CheckpointStore openToRead(URI uri) {
        return isInBucket(uri) ? S3Store.openToRead(uri, S3Store.settings()) : DirectoryStore.openToRead(uri);
    }

    private static boolean isInBucket(URI uri) {
        return S3Location.SCHEME.equals(uri.getScheme());
    }
}
