package io.trainyard.data.bucket;

import io.trainyard.data.FetchProgress;
import io.trainyard.data.bucket.Listing.RemoteFile;
import io.trainyard.s3.S3Bucket;
import io.trainyard.s3.S3Object;
import io.trainyard.spec.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Downloads the files of a dataset from a bucket. The caller holds the dataset's lock exclusively.
final class Fetch {
    private static final int CONCURRENT_DOWNLOADS = 4;

    /// Consecutive connections that break before the first byte.
    private static final int MAX_FAILURES = 3;

    private static final int BUFFER_BYTES = 1 << 18;
    private static final long REPORT_INTERVAL_MILLIS = 200;

    private final S3Bucket bucket;
    private final CacheFolder folder;
    private final Listing listing;
    private final FetchProgress progress;
    private final String hash;
    private final AtomicLong fetched = new AtomicLong();

    Fetch(S3Bucket bucket, CacheFolder folder, Listing listing, FetchProgress progress) {
        this.bucket = bucket;
        this.folder = folder;
        this.listing = listing;
        this.progress = progress;
        this.hash = listing.hash();
    }

    /// The dataset appears, complete, when this returns.
    void run() throws IOException, InterruptedException {
        Path unfinished = folder.unfinished(hash);
        CacheFolder.delete(unfinished); // left by a killed process
        Files.createDirectories(unfinished);
        try (ExecutorService threads = Executors.newFixedThreadPool(
                CONCURRENT_DOWNLOADS, Thread.ofVirtual().name("data-fetch").factory())) {
            List<Future<?>> all = new ArrayList<>();
            listing.files()
                    .forEach(file -> all.add(threads.submit(() -> {
                        fetch(file, unfinished.resolve(file.path()));
                        return file;
                    })));
            try {
                for (Future<?> one : all) {
                    await(one);
                }
                reportProgress();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
            } finally {
                threads.shutdownNow();
            }
        }
        Files.move(unfinished, folder.set(hash), StandardCopyOption.ATOMIC_MOVE);
    }

    /// Reports the progress of all files while it waits.
    private void await(Future<?> file) throws IOException, InterruptedException, ExecutionException {
        while (true) {
            try {
                var _ = file.get(REPORT_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException _) {
                reportProgress();
            }
        }
    }

    private void reportProgress() throws IOException {
        folder.touch(hash);
        progress.fetched(listing.dataset(), fetched.get(), listing.bytes());
    }

    private void fetch(RemoteFile file, Path target) throws IOException {
        Files.createDirectories(
                Objects.requireNonNull(target.getParent(), "every file is in the folder of its dataset"));
        try {
            Files.createLink(target, folder.file(file.hash()));
            fetched.addAndGet(file.bytes());
            return;
        } catch (NoSuchFileException _) { // not cached
        }
        download(file, target);
        try {
            Files.createLink(folder.file(file.hash()), target);
        } catch (FileAlreadyExistsException _) { // another download has just stored it
        }
    }

    private void download(RemoteFile file, Path target) throws IOException {
        MessageDigest digest = Sha256.digest();
        String expectedSha256 = null;
        int failures = 0;
        try (FileChannel channel = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            OutputStream out = Channels.newOutputStream(channel);
            while (channel.position() < file.bytes()) {
                long before = channel.position();
                try {
                    S3Object rest = bucket.open(file.path(), file.tag(), before);
                    expectedSha256 = rest.sha256();
                    try (InputStream in = rest.content()) {
                        copy(in, out, digest);
                    }
                } catch (IOException e) {
                    failures = channel.position() > before ? 0 : failures + 1;
                    if (failures == MAX_FAILURES || Thread.currentThread().isInterrupted()) {
                        throw new IOException(
                                "%s: %s".formatted(bucket.location().uri(file.path()), e.getMessage()), e);
                    }
                }
            }
            requireWhole(file, channel.position(), expectedSha256, digest);
        }
    }

    private void copy(InputStream in, OutputStream out, MessageDigest digest) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            out.write(buffer, 0, read);
            digest.update(buffer, 0, read);
            fetched.addAndGet(read);
        }
    }

    private void requireWhole(RemoteFile file, long bytes, @Nullable String expectedSha256, MessageDigest digest)
            throws IOException {
        String found = Sha256.text(digest);
        if (bytes != file.bytes() || (expectedSha256 != null && !expectedSha256.equals(found))) {
            throw new IOException("%s came with %d bytes of SHA-256 %s; it has %d, of %s"
                    .formatted(bucket.location().uri(file.path()), bytes, found, file.bytes(), expectedSha256));
        }
    }
}
