package io.trainyard.data.bucket;

import io.trainyard.data.DataRoot;
import io.trainyard.data.DataRoots;
import io.trainyard.data.DatasetException;
import io.trainyard.data.DatasetUnavailableException;
import io.trainyard.data.Datasets;
import io.trainyard.data.FetchProgress;
import io.trainyard.s3.S3Bucket;
import io.trainyard.s3.S3Location;
import io.trainyard.s3.S3Settings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Datasets in a bucket. Each request lists the dataset in the bucket and downloads changed files. Holds one
/// dataset at a time. Thread-safe.
public final class BucketRoots implements DataRoots {
    private static final String SCHEME_PREFIX = S3Location.SCHEME + ":";

    private final S3Bucket bucket;
    private final CacheFolder folder;
    private final DataCache cache;
    private DataCache.@Nullable Pinned held;

    BucketRoots(S3Bucket bucket, CacheFolder folder, long limitBytes) {
        this.bucket = bucket;
        this.folder = folder;
        this.cache = new DataCache(folder, limitBytes);
    }

    public static boolean isBucket(String place) {
        return place.startsWith(SCHEME_PREFIX);
    }

    /// @param place `s3://bucket/prefix`, with a folder for each dataset
    /// @param cache a local folder, which may be shared and may not exist yet
    /// @throws DatasetException if the bucket cannot be read, or the folder not be written
    public static BucketRoots open(String place, Path cache, CacheSize limit) {
        return open(place, cache, limit, settings());
    }

    static BucketRoots open(String place, Path cache, CacheSize limit, S3Settings settings) {
        S3Bucket bucket;
        try {
            bucket = S3Bucket.at(S3Location.of(URI.create(place)), settings);
            bucket.requireReadable();
        } catch (IllegalArgumentException e) {
            throw new DatasetException("the data root: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new DatasetException("the data root %s cannot be read: %s".formatted(place, e.getMessage()), e);
        }
        try {
            return new BucketRoots(bucket, CacheFolder.at(cache), limit.bytes());
        } catch (IOException e) {
            throw new DatasetException(
                    "the data cache %s cannot be written: %s; name another folder with --data-cache"
                            .formatted(cache.toAbsolutePath(), e),
                    e);
        }
    }

    private static S3Settings settings() {
        try {
            return S3Settings.ofEnvironment();
        } catch (IllegalArgumentException e) {
            throw new DatasetException(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public synchronized DataRoot of(String dataset, FetchProgress progress) {
        if (Datasets.isGenerated(dataset)) {
            return new DataRoot(folder.nothing());
        }
        Listing listing = Listing.of(bucket, dataset);
        if (listing.files().isEmpty()) {
            throw new DatasetException(
                    "dataset %s is not there: %s has no object below %s/; put it there, or name another data root with --data"
                            .formatted(dataset, bucket.location(), dataset));
        }
        release(); // frees its space for the next dataset
        DataCache.Pinned pinned = cache.pin(bucket, listing, progress);
        held = pinned;
        return new DataRoot(pinned.root());
    }

    @Override
    public boolean isNear(String dataset) {
        return Datasets.isGenerated(dataset);
    }

    private void release() {
        DataCache.Pinned before = held;
        held = null;
        if (before != null) {
            try {
                before.close();
            } catch (IOException e) {
                throw new DatasetUnavailableException(
                        "the data cache %s cannot be used: %s".formatted(folder.root(), e), e);
            }
        }
    }
}
