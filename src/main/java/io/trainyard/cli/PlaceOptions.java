package io.trainyard.cli;

import io.trainyard.data.DataRoots;
import io.trainyard.data.bucket.BucketRoots;
import io.trainyard.data.bucket.CacheSize;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options for data and checkpoints.
public class PlaceOptions {
    @Option(
            names = "--data",
            paramLabel = "URI",
            description = "Datasets: a folder or s3://bucket/prefix (default: data); shapes* need no files.")
    private @Nullable String data;

    @Option(
            names = "--data-cache",
            paramLabel = "DIR",
            description = "Cache of a bucket's datasets (default: data-cache).")
    private @Nullable Path dataCache;

    @Option(
            names = "--checkpoints",
            paramLabel = "URI",
            description = "Checkpoint store: a folder, file: or s3: URI, shared by the fleet (default: checkpoints).")
    private @Nullable URI checkpoints;

    /// The data roots.
    ///
    /// @throws io.trainyard.data.DatasetException if they are in a bucket that cannot be read
    DataRoots data() {
        String place = data == null ? "data" : data;
        return BucketRoots.isBucket(place)
                ? BucketRoots.open(
                        place, dataCache == null ? Path.of("data-cache") : dataCache, CacheSize.ofEnvironment())
                : DataRoots.ofFolder(Path.of(place));
    }

    URI checkpoints() {
        return checkpoints == null ? URI.create("checkpoints") : checkpoints;
    }

    /// The given options for data and checkpoints, for a command line that a user can copy.
    String places() {
        return given().entrySet().stream()
                .map(option -> " %s %s".formatted(option.getKey(), quoted(option.getValue())))
                .collect(Collectors.joining());
    }

    private static String quoted(String text) {
        return text.matches("[\\w./:~=-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /// The given options by name.
    Map<String, String> given() {
        Map<String, String> given = new LinkedHashMap<>();
        put(given, "--data", data);
        put(given, "--data-cache", dataCache);
        put(given, "--checkpoints", checkpoints);
        return given;
    }

    private static void put(Map<String, String> given, String option, @Nullable Object value) {
        if (value != null) {
            given.put(option, value.toString());
        }
    }
}
