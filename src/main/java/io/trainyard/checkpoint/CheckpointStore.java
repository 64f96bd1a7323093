package io.trainyard.checkpoint;

import io.trainyard.s3.S3Location;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/// A place for objects under keys such as `job-1/spec.json`. An object is there whole or not at all.
///
/// All methods throw [StoreException] when the store cannot be used; the message names the object.
public interface CheckpointStore {
    /// Which store this is: a UUID, the same for all who use it, decided by whoever asks first. Two folders of one
    /// name on two machines are two stores.
    ///
    /// @throws CheckpointException if what is kept for it is no UUID
    String identity();

    /// Where an object is, for people and other programs.
    URI uri(String key);

    /// Stores `content` unless there is an object of that key already; of several callers exactly one stores.
    ///
    /// @return whether it was stored
    boolean createIfAbsent(String key, byte[] content);

    /// Makes an empty object, where there is none of that key. Unlike what else is stored it may be gone after the
    /// machine has stopped, and nobody waits for a disk.
    default void note(String key) {
        var _ = createIfAbsent(key, new byte[0]);
    }

    /// Writes an object, in place of one that may be there. It is on disk when this returns.
    CheckpointRef write(String key, Content content);

    /// Opens an object to be read; empty when there is none.
    Optional<InputStream> open(String key);

    /// All bytes of an object; empty when there is none.
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

    /// Removes an object; where there is none nothing happens.
    void delete(String key);

    /// Removes from a folder what writers that were killed left unfinished. One that is still at it fails.
    void sweep(String folder);

    /// The keys that begin with `folder/`, one level deep, in alphabetical order.
    List<String> list(String folder);

    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /// The store a URI stands for: `file:///checkpoints`, or a path of a folder, which is created when missing; or
    /// `s3://bucket/prefix`, whose bucket must be there.
    ///
    /// @throws CheckpointException if the scheme is not known, or the store is not of the kind that this needs
    /// @throws StoreException if the folder cannot be made or written, or the bucket not be reached
    static CheckpointStore open(URI uri) {
        return isInBucket(uri) ? S3Store.open(uri, S3Store.settings()) : DirectoryStore.open(uri);
    }

    /// The same to read only: it must be there already, and nothing is written.
    ///
    /// @throws CheckpointException if the scheme is not known or there is no folder that can be read
    /// @throws StoreException if the bucket cannot be read
    static CheckpointStore openToRead(URI uri) {
        return isInBucket(uri) ? S3Store.openToRead(uri, S3Store.settings()) : DirectoryStore.openToRead(uri);
    }

    private static boolean isInBucket(URI uri) {
        return S3Location.SCHEME.equals(uri.getScheme());
    }
}
