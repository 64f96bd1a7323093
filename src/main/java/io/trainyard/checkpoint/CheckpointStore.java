package io.trainyard.checkpoint;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/// A place for objects under keys such as `job-1/spec.json`. An object is there whole or not at all.
///
/// All methods throw [CheckpointException] when the store cannot be used; the message names the object.
public interface CheckpointStore {
    /// Where an object is, for people and other programs.
    URI uri(String key);

    /// Stores `content` unless there is an object of that key already; of several callers exactly one stores.
    ///
    /// @return whether it was stored
    boolean createIfAbsent(String key, byte[] content);

    /// Writes an object, in place of one that may be there. It is on disk when this returns.
    CheckpointRef write(String key, Content content);

    /// Opens an object to be read; empty when there is none.
    Optional<InputStream> open(String key);

    /// The keys that begin with `folder/`, one level deep, in alphabetical order.
    List<String> list(String folder);

    /// Writes an object's bytes.
    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /// The store a URI stands for: `file:///checkpoints`, or a path of a folder, which is created when missing.
    ///
    /// @throws CheckpointException if the scheme is not known or the folder cannot be written
    static CheckpointStore open(URI uri) {
        return DirectoryStore.open(uri);
    }

    /// The same to read only: it must be there already, and nothing is written.
    ///
    /// @throws CheckpointException if the scheme is not known or there is no folder that can be read
    static CheckpointStore openToRead(URI uri) {
        return DirectoryStore.openToRead(uri);
    }
}
