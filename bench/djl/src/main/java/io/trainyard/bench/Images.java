package io.trainyard.bench;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import io.jhdf.HdfFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;

/// A part of a dataset as bytes.
///
/// @param pixels (N, C, H, W)
/// @param labels N
record Images(Shape shape, byte[] pixels, long[] labels) {
    private static final int CIFAR_BYTES = 3 * 32 * 32;
    private static final Shape CIFAR = new Shape(3, 32, 32);
    private static final Shape IDX = new Shape(1, 28, 28);
    private static final Shape SIGNS = new Shape(3, 64, 64);

    static Images read(String dataset, Path folder, boolean train) throws IOException {
        return switch (dataset) {
            case "cifar10" -> cifar10(folder, train);
            case "fashion-mnist" -> idx(folder, train ? "train" : "t10k");
            case "signs" -> signs(folder, train ? "train" : "test");
            default -> throw new IllegalArgumentException(
                    "--dataset is %s; there are cifar10, fashion-mnist and signs".formatted(dataset));
        };
    }

    /// All images on the device as floats, as in the fastest plain loop.
    NDArray resident(NDManager manager, boolean normalize) {
        Shape all = new Shape(labels.length).addAll(shape);
        try (NDArray bytes = manager.create(ByteBuffer.wrap(pixels), all, DataType.UINT8)) {
            NDArray floats = bytes.toType(DataType.FLOAT32, true).divi(255f);
            return normalize ? floats.subi(0.5f).divi(0.5f) : floats;
        }
    }

    private static Images cifar10(Path folder, boolean train) throws IOException {
        List<String> names = train
                ? IntStream.rangeClosed(1, 5).mapToObj("data_batch_%d.bin"::formatted).toList()
                : List.of("test_batch.bin");
        ByteArrayOutputStream pixels = new ByteArrayOutputStream();
        ByteArrayOutputStream labels = new ByteArrayOutputStream();
        for (String name : names) {
            byte[] file = Files.readAllBytes(folder.resolve(name));
            for (int at = 0; at < file.length; at += CIFAR_BYTES + 1) { // the label, then the image
                labels.write(file[at]);
                pixels.write(file, at + 1, CIFAR_BYTES);
            }
        }
        return new Images(CIFAR, pixels.toByteArray(), longs(labels.toByteArray()));
    }

    private static Images idx(Path folder, String kind) throws IOException {
        byte[] images = unzipped(folder.resolve(kind + "-images-idx3-ubyte.gz"));
        byte[] labels = unzipped(folder.resolve(kind + "-labels-idx1-ubyte.gz"));
        return new Images(
                IDX,
                Arrays.copyOfRange(images, 16, images.length), // behind the headers
                longs(Arrays.copyOfRange(labels, 8, labels.length)));
    }

    private static byte[] unzipped(Path file) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file), 1 << 16)) {
            return in.readAllBytes();
        }
    }

    private static Images signs(Path folder, String kind) {
        try (HdfFile file = new HdfFile(folder.resolve(kind + "_signs.h5"))) {
            int[] interleaved = (int[]) file.getDatasetByPath(kind + "_set_x").getDataFlat(); // (N, H, W, C)
            long[] labels = (long[]) file.getDatasetByPath(kind + "_set_y").getDataFlat();
            int channels = (int) SIGNS.get(0);
            int plane = (int) (SIGNS.get(1) * SIGNS.get(2));
            byte[] pixels = new byte[interleaved.length];
            for (int i = 0, from = 0; i < labels.length; i++) {
                for (int at = 0; at < plane; at++) {
                    for (int c = 0; c < channels; c++) {
                        pixels[(i * channels + c) * plane + at] = (byte) interleaved[from++];
                    }
                }
            }
            return new Images(SIGNS, pixels, labels);
        }
    }

    private static long[] longs(byte[] labels) {
        return IntStream.range(0, labels.length).mapToLong(i -> labels[i]).toArray();
    }
}
