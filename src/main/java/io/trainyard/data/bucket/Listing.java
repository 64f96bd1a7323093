package io.trainyard.data.bucket;

import io.trainyard.data.DatasetException;
import io.trainyard.data.DatasetUnavailableException;
import io.trainyard.s3.S3Bucket;
import io.trainyard.s3.S3Entry;
import io.trainyard.spec.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The files of a dataset in a bucket at one time.
///
/// @param dataset its name
/// @param files in the order of their names
record Listing(String dataset, List<RemoteFile> files) {
    /// Each file costs a request; larger datasets should be packed.
    private static final int MOST_FILES = 200_000;

    private static final String SEPARATOR = "/";

    /// @param path below the data root, with slashes; starts with the dataset's name
    /// @param bytes its size
    /// @param tag the server's ETag of the content
    /// @param hash of its location, tag and size; changes with the content
    record RemoteFile(String path, long bytes, String tag, String hash) {}

    Listing {
        files = List.copyOf(files);
    }

    /// @throws DatasetException if it cannot be listed, or has keys that are not valid file names
    static Listing of(S3Bucket bucket, String dataset) {
        List<S3Entry> entries;
        try {
            entries = bucket.listAll(dataset, MOST_FILES);
        } catch (IOException e) {
            throw new DatasetUnavailableException(
                    "dataset %s cannot be looked for in %s: %s".formatted(dataset, bucket.location(), e.getMessage()),
                    e);
        }
        Listing listing = new Listing(
                dataset,
                entries.stream()
                        .filter(entry -> !entry.key().endsWith(SEPARATOR)) // placeholder of a folder
                        .map(entry -> file(bucket, entry))
                        .toList());
        listing.requireFileNames(bucket);
        return listing;
    }

    private static RemoteFile file(S3Bucket bucket, S3Entry entry) {
        String hash = hash("%s\n%s\n%s\n%d".formatted(bucket.id(), entry.key(), entry.tag(), entry.bytes()));
        return new RemoteFile(entry.key(), entry.bytes(), entry.tag(), hash);
    }

    /// Bucket keys are arbitrary, but files must not be written outside the dataset's folder.
    private void requireFileNames(S3Bucket bucket) {
        Set<String> names = new HashSet<>();
        for (RemoteFile file : files) {
            boolean isPath = List.of(file.path().split(SEPARATOR, -1)).stream().allMatch(Listing::isFileName);
            if (!isPath || !names.add(file.path())) {
                throw notAFile(bucket, file);
            }
        }
        for (RemoteFile file : files) {
            String path = file.path();
            for (int slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
                if (names.contains(path.substring(0, slash))) {
                    throw notAFile(bucket, file);
                }
            }
        }
    }

    private DatasetException notAFile(S3Bucket bucket, RemoteFile file) {
        return new DatasetException(
                "dataset %s in %s has an object %s, which is not the name of a file in a folder; rename it, or remove it"
                        .formatted(dataset, bucket.location(), quoted(file.path())));
    }

    private static boolean isFileName(String step) {
        return !step.isEmpty()
                && !step.equals(".")
                && !step.equals("..")
                && step.length() <= 200
                && step.chars().noneMatch(c -> c < ' ' || c == '\\' || c == 0x7f || c == ':');
    }

    private static String quoted(String path) {
        String plain = path.replaceAll("[^ -~]", "?");
        return "\"" + (plain.length() <= 200 ? plain : plain.substring(0, 200) + "...") + "\"";
    }

    String hash() {
        StringBuilder all = new StringBuilder(dataset);
        files.forEach(file -> all.append('\n').append(file.hash()));
        return hash(all.toString());
    }

    long bytes() {
        return files.stream().mapToLong(RemoteFile::bytes).sum();
    }

    private static String hash(String text) {
        MessageDigest digest = Sha256.digest();
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        return Sha256.text(digest);
    }
}
