package io.trainyard.checkpoint;

import io.trainyard.s3.S3Settings;
import java.net.URI;

/// Opens stores in buckets with other settings than this process's.
public final class S3Stores {
    private S3Stores() {}

    public static CheckpointStore open(URI place, S3Settings settings) {
        return S3Store.open(place, settings);
    }
}
