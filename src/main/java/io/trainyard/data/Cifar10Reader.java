package io.trainyard.data;

import io.trainyard.data.Dataset.Split;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// CIFAR-10's binary version (https://www.cs.toronto.edu/~kriz/cifar.html): records of one label byte and 3072 bytes
/// of pixels, (C, H, W). Files may hold any number of records, so that a part of the set can be used.
record Cifar10Reader() implements DatasetSource {
    private static final List<String> FOLDERS = List.of("cifar10", "cifar-10-batches-bin");
    private static final List<String> TRAIN =
            IntStream.rangeClosed(1, 5).mapToObj("data_batch_%d.bin"::formatted).toList();
    private static final List<String> TEST = List.of("test_batch.bin");

    @Override
    public Dataset read(Path root, DatasetInfo info) {
        DataFolder folder = DataFiles.folder(
                root, info, FOLDERS, "\"CIFAR-10 binary version\" from the CIFAR page of the University of Toronto");
        return new Dataset(
                info.name(), info.shape(), info.outputs(), part(folder, TRAIN, info), part(folder, TEST, info));
    }

    private static Split part(DataFolder folder, List<String> names, DatasetInfo info) {
        int imageBytes = info.shape().elements();
        List<Path> files = new ArrayList<>();
        long total = 0;
        for (String name : names) {
            Path file = folder.file(List.of(name));
            files.add(file);
            total += records(file, imageBytes);
        }
        if (total * imageBytes > DataFiles.MAX_PIXEL_BYTES) {
            throw DataFiles.wrong(
                    files.getFirst(),
                    "%d images in this and the files beside it".formatted(total),
                    "at most %d".formatted(DataFiles.MAX_PIXEL_BYTES / imageBytes));
        }
        byte[] pixels = new byte[(int) total * imageBytes];
        byte[] labels = new byte[(int) total];
        int next = 0;
        for (Path file : files) {
            next += readRecords(file, pixels, labels, next, info);
        }
        return new Split(pixels, labels);
    }

    private static long records(Path file, int imageBytes) {
        int recordBytes = 1 + imageBytes;
        try {
            long bytes = Files.size(file);
            if (bytes == 0 || bytes % recordBytes != 0) {
                throw DataFiles.wrong(
                        file,
                        "%d bytes".formatted(bytes),
                        "a multiple of %d (a label and %d bytes of pixels a record)"
                                .formatted(recordBytes, imageBytes));
            }
            return bytes / recordBytes;
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }

    /// Reads all records from image `first` on; returns how many there were.
    private static int readRecords(Path file, byte[] pixels, byte[] labels, int first, DatasetInfo info) {
        int imageBytes = info.shape().elements();
        int count = (int) records(file, imageBytes);
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            for (int i = 0; i < count; i++) {
                int label = in.read();
                DataFiles.checkLabel(file, label, i, info.outputs());
                labels[first + i] = (byte) label;
                if (in.readNBytes(pixels, (first + i) * imageBytes, imageBytes) != imageBytes) {
                    throw DataFiles.wrong(file, "an end within image %d".formatted(i), "%d images".formatted(count));
                }
            }
            return count;
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }
}
