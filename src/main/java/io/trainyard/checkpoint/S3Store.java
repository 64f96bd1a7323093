package io.trainyard.checkpoint;

import io.trainyard.s3.S3Bucket;
import io.trainyard.s3.S3Location;
import io.trainyard.s3.S3Object;
import io.trainyard.s3.S3Output;
import io.trainyard.s3.S3Settings;
import io.trainyard.spec.Sha256;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A store in a bucket of S3 or of a compatible server. The protocol writes objects atomically, and conditional
/// writes decide which of several writers creates an object.
final class S3Store implements CheckpointStore {
    private final S3Bucket bucket;
    private @Nullable String identity; // cached: the identity of a bucket does not change

    private S3Store(S3Bucket bucket) {
        this.bucket = bucket;
    }

    static S3Store open(URI uri, S3Settings settings) {
        S3Store store = openToRead(uri, settings);
        boolean refuses = attempt("written", uri, store.bucket::refusesSecond);
        if (!refuses) {
            throw new CheckpointException(
                    "the checkpoint store %s lets a second writer create an object that exists already (If-None-Match), so two workers could start one attempt; use a server with conditional writes"
                            .formatted(uri));
        }
        return store;
    }

    /// Opens a store without writing.
    static S3Store openToRead(URI uri, S3Settings settings) {
        S3Location place = place(uri);
        return attempt("read", uri, () -> {
            S3Bucket bucket = S3Bucket.at(place, settings);
            bucket.requireReadable();
            return new S3Store(bucket);
        });
    }

    static S3Settings settings() {
        try {
            return S3Settings.ofEnvironment();
        } catch (IllegalArgumentException e) {
            throw new CheckpointException(String.valueOf(e.getMessage()), e);
        }
    }

    private static S3Location place(URI uri) {
        try {
            return S3Location.of(uri);
        } catch (IllegalArgumentException e) {
            throw new CheckpointException(String.valueOf(e.getMessage()), e);
        }
    }

    @FunctionalInterface
    private interface Call<T> {
        T run() throws IOException;
    }

    private static <T> T attempt(String what, Object where, Call<T> call) {
        try {
            return call.run();
        } catch (IOException e) {
            throw new StoreException("%s cannot be %s: %s".formatted(where, what, e.getMessage()), e);
        }
    }

    @Override
    public URI uri(String key) {
        return bucket.location().uri(StoreKeys.require(key));
    }

    @Override
    public synchronized String identity() {
        String known = identity;
        if (known != null) {
            return known;
        }
        URI where = bucket.location().uri(StoreKeys.IDENTITY);
        String found = attempt("read", where, () -> {
            if (!bucket.has(StoreKeys.IDENTITY)) {
                var _ = bucket.putIfAbsent(
                        StoreKeys.IDENTITY, StoreKeys.newIdentity().getBytes(StandardCharsets.US_ASCII));
            }
            S3Object kept =
                    bucket.open(StoreKeys.IDENTITY).orElseThrow(() -> new IOException("it has just been removed"));
            try (InputStream in = new Verified(kept, where)) {
                return StoreKeys.requireIdentity(new String(in.readAllBytes(), StandardCharsets.UTF_8), where);
            }
        });
        identity = found;
        return found;
    }

    @Override
    public boolean createIfAbsent(String key, byte[] content) {
        return attempt("written", uri(key), () -> bucket.putIfAbsent(key, content));
    }

    @Override
    public CheckpointRef write(String key, Content content) {
        URI uri = uri(key);
        return attempt("written", uri, () -> {
            try (S3Output out = bucket.write(key)) {
                MessageDigest digest = Sha256.digest();
                Counted counted = new Counted(out, digest);
                content.writeTo(counted);
                out.complete();
                return new CheckpointRef(uri, Sha256.text(digest), counted.bytes);
            }
        });
    }

    @Override
    public Optional<InputStream> open(String key) {
        URI uri = uri(key);
        return attempt("read", uri, () -> bucket.open(key)).map(found -> new Verified(found, uri));
    }

    @Override
    public boolean has(String key) {
        return attempt("looked for", uri(key), () -> bucket.has(key));
    }

    @Override
    public void delete(String key) {
        var _ = attempt("deleted", uri(key), () -> {
            bucket.delete(key);
            return true;
        });
    }

    @Override
    public void sweep(String folder) {
        var _ = attempt("swept", uri(folder), () -> {
            bucket.abortUploads(folder);
            return true;
        });
    }

    @Override
    public List<String> list(String folder) {
        return attempt("listed", uri(folder), () -> bucket.list(folder)).stream()
                .filter(key -> !key.startsWith(folder + "/."))
                .toList();
    }

    /// Counts and hashes the bytes that pass. Closing it leaves the underlying stream open.
    private static final class Counted extends DigestOutputStream {
        private long bytes;

        Counted(OutputStream out, MessageDigest digest) {
            super(out, digest);
        }

        @Override
        public void write(int b) throws IOException {
            super.write(b);
            bytes++;
        }

        @Override
        public void write(byte[] content, int offset, int length) throws IOException {
            super.write(content, offset, length);
            bytes += length;
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }

    /// Fails at its end if the bytes differ from the hash in the object's metadata, if it has one.
    private static final class Verified extends FilterInputStream {
        private final MessageDigest digest = Sha256.digest();
        private final S3Object object;
        private final URI uri;

        Verified(S3Object object, URI uri) {
            super(object.content());
            this.object = object;
            this.uri = uri;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = in.read(bytes, offset, length);
            if (read > 0) {
                digest.update(bytes, offset, read);
            } else if (read < 0) {
                verify();
            }
            return read;
        }

        private void verify() {
            String expected = object.sha256();
            if (expected != null) {
                String found = Sha256.text(copy());
                if (!found.equals(expected)) {
                    throw new CheckpointException(
                            "%s has other bytes than were written: their SHA-256 is %s, and was %s"
                                    .formatted(uri, found, expected));
                }
            }
        }

        /// Copies the digest because the end may be read more than once.
        private MessageDigest copy() {
            try {
                return (MessageDigest) digest.clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException("Java's own digests can be copied", e);
            }
        }

        @Override
        public boolean markSupported() {
            return false; // bytes that are read twice would be counted twice
        }

        /// Skipped bytes are also hashed.
        @Override
        public long skip(long bytes) throws IOException {
            int read = read(new byte[(int) Math.min(bytes, 1 << 13)]);
            return Math.max(read, 0);
        }
    }
}
