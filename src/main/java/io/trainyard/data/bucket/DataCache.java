package io.trainyard.data.bucket;

import io.trainyard.data.DatasetUnavailableException;
import io.trainyard.data.FetchProgress;
import io.trainyard.s3.S3Bucket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Datasets of a bucket in a local folder, shared by all workers of the machine. If two workers need the same
/// dataset, one downloads it and the other waits. If space is short, the least recently used dataset is removed,
/// but never one in use.
final class DataCache {
    /// The longest time without progress of another process's download.
    private static final Duration MAX_SILENCE = Duration.ofMinutes(5);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private final CacheFolder folder;
    private final long limitBytes;

    DataCache(CacheFolder folder, long limitBytes) {
        this.folder = folder;
        this.limitBytes = limitBytes;
    }

    /// A dataset that is not removed until this is closed.
    ///
    /// @param root the data root with the dataset
    record Pinned(Path root, CacheLock lock) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            lock.close();
        }
    }

    Pinned pin(S3Bucket bucket, Listing listing, FetchProgress progress) {
        String hash = listing.hash();
        try {
            while (true) {
                Optional<CacheLock> reading = CacheLock.tryShared(folder.lock(hash));
                if (reading.isPresent()) {
                    if (Files.isDirectory(folder.set(hash))) {
                        folder.touch(hash);
                        return new Pinned(folder.set(hash), reading.get());
                    }
                    reading.get().close();
                    download(bucket, listing, progress);
                } else {
                    awaitOther(listing, progress);
                }
            }
        } catch (IOException e) {
            throw new DatasetUnavailableException(
                    "dataset %s cannot be downloaded from %s to %s: %s"
                            .formatted(listing.dataset(), bucket.location(), folder.root(), e.getMessage()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DatasetUnavailableException("dataset %s is no longer waited for".formatted(listing.dataset()), e);
        }
    }

    /// Downloads the dataset unless another process is doing so.
    private void download(S3Bucket bucket, Listing listing, FetchProgress progress)
            throws IOException, InterruptedException {
        String hash = listing.hash();
        Optional<CacheLock> alone = CacheLock.tryAlone(folder.lock(hash));
        if (alone.isEmpty()) {
            awaitOther(listing, progress);
            return;
        }
        try (CacheLock _ = alone.get()) {
            if (!Files.isDirectory(folder.set(hash))) {
                try {
                    freeSpace(listing);
                    new Fetch(bucket, folder, listing, progress).run();
                } finally {
                    CacheFolder.delete(folder.unfinished(hash));
                    folder.wantNothing(hash);
                }
            }
        }
    }

    private void freeSpace(Listing listing) throws IOException, InterruptedException {
        try (CacheLock _ = spaceLock()) {
            long others = folder.wantedByOthers(listing.hash());
            sweep();
            Set<String> wanted =
                    listing.files().stream().map(Listing.RemoteFile::hash).collect(Collectors.toSet());
            long kept = folder.bytes();
            if (kept + others + missing(listing) > limitBytes) {
                kept = folder.dropUnused(wanted);
            }
            for (String set : folder.setsByUse()) {
                if (kept + others + missing(listing) <= limitBytes) {
                    break;
                }
                Optional<CacheLock> unused = CacheLock.tryAlone(folder.lock(set));
                if (unused.isPresent()) {
                    try (CacheLock _ = unused.get()) {
                        folder.remove(set);
                    }
                    kept = folder.dropUnused(wanted);
                }
            }
            if (kept + others + missing(listing) > limitBytes) {
                throw new IOException(
                        "it needs %d bytes more, and of the %d that the cache may have (TRAINYARD_DATA_CACHE_LIMIT) %d are in use; allow more, or give the workers fewer sets at a time"
                                .formatted(missing(listing), limitBytes, kept + others));
            }
            folder.want(listing.hash(), missing(listing));
        }
    }

    /// Removes incomplete datasets of killed processes. Their complete files remain while there is space.
    private void sweep() throws IOException {
        for (String set : folder.setsUnfinished()) {
            Optional<CacheLock> abandoned = CacheLock.tryAlone(folder.lock(set));
            if (abandoned.isPresent()) {
                try (CacheLock _ = abandoned.get()) {
                    CacheFolder.delete(folder.unfinished(set));
                }
            }
        }
    }

    /// The bytes of files that are not cached.
    private long missing(Listing listing) {
        return listing.files().stream()
                .filter(file -> !Files.exists(folder.file(file.hash())))
                .mapToLong(Listing.RemoteFile::bytes)
                .sum();
    }

    private CacheLock spaceLock() throws IOException, InterruptedException {
        for (long nanos = 0; nanos < MAX_SILENCE.toNanos(); nanos += POLL_INTERVAL.toNanos()) {
            Optional<CacheLock> lock = CacheLock.tryAlone(folder.spaceLock());
            if (lock.isPresent()) {
                return lock.get();
            }
            Thread.sleep(POLL_INTERVAL);
        }
        throw new IOException("another process has been freeing space for %d s".formatted(MAX_SILENCE.toSeconds()));
    }

    /// Waits briefly for the process that downloads a dataset.
    private void awaitOther(Listing listing, FetchProgress progress) throws IOException, InterruptedException {
        FileTime lastUse = folder.lastUse(listing.hash());
        if (lastUse.toMillis() > 0 && System.currentTimeMillis() - lastUse.toMillis() > MAX_SILENCE.toMillis()) {
            throw new IOException(
                    "the process that downloads it has made no progress for %d s".formatted(MAX_SILENCE.toSeconds()));
        }
        progress.fetched(listing.dataset(), 0, listing.bytes());
        Thread.sleep(POLL_INTERVAL);
    }
}
