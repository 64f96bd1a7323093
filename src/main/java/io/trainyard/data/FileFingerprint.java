package io.trainyard.data;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A fingerprint of file sizes and times. Equal stamps mean that no file was replaced, as far as metadata shows.
///
/// @param files their count
/// @param mix of the paths, sizes and times of all files, independent of their order
public record FileFingerprint(int files, long mix) {
    /// Further files are ignored, because the stamps are taken before each job.
    private static final int MOST_FILES = 200_000;

    private static final int MAX_DEPTH = 32;

    /// Stamps of all files in some folders and their subfolders. Files that are missing or unreadable are
    /// ignored.
    static FileFingerprint of(List<Path> folders) {
        Visitor visitor = new Visitor();
        for (Path folder : folders) {
            try {
                Files.walkFileTree(folder, EnumSet.of(FileVisitOption.FOLLOW_LINKS), MAX_DEPTH, visitor);
            } catch (IOException e) { // the reader of the dataset reports it
                visitor.mix++;
            }
        }
        return new FileFingerprint(visitor.files, visitor.mix);
    }

    private static final class Visitor extends SimpleFileVisitor<Path> {
        private int files;
        private long mix;

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            files++;
            long ofName = SplitMix64.at(attributes.size(), file.hashCode()).next();
            mix += SplitMix64.at(ofName, attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS))
                    .next();
            return files < MOST_FILES ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
        }
    }
}
