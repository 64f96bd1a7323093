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

/// CIFAR's binary format (https://www.cs.toronto.edu/~kriz/cifar.html): records of one or more label bytes and
/// the pixel bytes, (C, H, W). Files may hold any number of records, so a part of a dataset can be used.
///
/// @param train names of the training files, in order
/// @param test names of the test files
/// @param labelBytes of a record
/// @param label index of the label byte that is used
record CifarReader(List<String> train, List<String> test, int labelBytes, int label) {
    static final List<String> CIFAR10_TRAIN =
            IntStream.rangeClosed(1, 5).mapToObj("data_batch_%d.bin"::formatted).toList();
    static final List<String> CIFAR10_TEST = List.of("test_batch.bin");

    static final List<String> CIFAR10_FOLDERS = List.of("cifar10", "cifar-10-batches-bin");

    static DatasetSource cifar10() {
        CifarReader reader = new CifarReader(CIFAR10_TRAIN, CIFAR10_TEST, 1, 0);
        return (root, info) -> reader.read(
                DataFiles.folder(
                        root,
                        info,
                        CIFAR10_FOLDERS,
                        "\"CIFAR-10 binary version\" from the CIFAR page of the University of Toronto"),
                info);
    }

    Dataset read(DataFolder folder, DatasetInfo info) {
        return new Dataset(
                info.name(), info.shape(), info.outputs(), part(folder, train, info), part(folder, test, info));
    }

    Split train(DataFolder folder, DatasetInfo info) {
        return part(folder, train, info);
    }

    private Split part(DataFolder folder, List<String> names, DatasetInfo info) {
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
                    "%d images in this and the files next to it".formatted(total),
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

    private long records(Path file, int imageBytes) {
        int recordBytes = labelBytes + imageBytes;
        try {
            long bytes = Files.size(file);
            if (bytes == 0 || bytes % recordBytes != 0) {
                throw DataFiles.wrong(
                        file,
                        "%d bytes".formatted(bytes),
                        "a multiple of %d (%s and %d bytes of pixels a record)"
                                .formatted(
                                        recordBytes, labelBytes == 1 ? "a label" : labelBytes + " labels", imageBytes));
            }
            return bytes / recordBytes;
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }

    private int readRecords(Path file, byte[] pixels, byte[] labels, int first, DatasetInfo info) {
        int imageBytes = info.shape().elements();
        int count = (int) records(file, imageBytes);
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            for (int i = 0; i < count; i++) {
                byte[] head = in.readNBytes(labelBytes);
                int found = head.length == labelBytes ? Byte.toUnsignedInt(head[label]) : -1;
                DataFiles.checkLabel(file, found, i, info.outputs());
                labels[first + i] = (byte) found;
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
