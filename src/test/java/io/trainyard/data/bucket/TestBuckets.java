package io.trainyard.data.bucket;

import io.trainyard.data.DataRoots;
import io.trainyard.s3.S3Settings;
import java.net.URI;
import java.nio.file.Path;

/// Opens data roots in buckets with other settings than this process's.
public final class TestBuckets {
    private TestBuckets() {}

    public static DataRoots open(URI place, Path cache, S3Settings settings) {
        return BucketRoots.open(place.toString(), cache, new CacheSize(1 << 30), settings);
    }
}
