package io.trainyard.data;

import io.trainyard.data.Dataset.Split;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// A dataset in one safetensors file, as [PackedWriter] writes it: `y_train`, `y_test`, `x_train` and `x_test`,
/// and those of a validation part, in the layout of sessions, then checksums. Samples are mapped.
///
/// `crc32c` has a CRC-32C, four bytes, little-endian, of each block of [#BLOCK_BYTES] from the first array on,
/// and one of the header and these sums together. A change of any byte is detected.
final class PackedFile implements AutoCloseable {
    static final String FORMAT = "trainyard-packed-1";

    static final String FORMAT_KEY = "format";

    static final String DESCRIPTION_KEY = "description";

    static final String SUMS = "crc32c";

    static final int BLOCK_BYTES = 1 << 20;

    private final Path file;
    private final FileChannel channel;
    private final SafetensorsFile arrays;
    private final NumberArray sums; // (blocks + 1, 4)
    private final PackedDescription description;

    /// @throws DatasetException if it is not a packed file, is incomplete, or its header was changed
    PackedFile(Path file) {
        this.file = file;
        try {
            this.channel = FileChannel.open(file);
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
        try {
            this.arrays = new SafetensorsFile(file, channel);
            requireFormat();
            this.sums = arrays.read(SUMS);
            requireSums();
            this.description = PackedDescription.read(
                    file, arrays.metadata(DESCRIPTION_KEY).orElse(""));
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void requireFormat() {
        String format = arrays.metadata(FORMAT_KEY).orElse("");
        if (!format.equals(FORMAT)) {
            throw DataFiles.wrong(
                    file,
                    format.isEmpty() ? "no format in its metadata" : "the format " + DataFiles.printable(format),
                    "\"%s\", as ./trainyard dataset convert writes it".formatted(FORMAT));
        }
    }

    /// Checks that the checksums exist, follow all other arrays, and match the header and themselves.
    private void requireSums() {
        long covered = arrays.dataBytes() - sums.memory().byteSize();
        long expected = 4 * (Math.ceilDiv(covered, BLOCK_BYTES) + 1);
        boolean last = arrays.end(SUMS) == arrays.dataBytes();
        if (!last || !sums.type().isByte() || sums.memory().byteSize() != expected) {
            throw damaged(
                    file, "it does not end with its check sums: part of it is missing, or something was added", null);
        }
        CRC32C crc = new CRC32C();
        crc.update(arrays.header().asByteBuffer());
        crc.update(sums.memory().asSlice(0, expected - 4).asByteBuffer());
        if ((int) crc.getValue() != sum(expected / 4 - 1)) {
            throw damaged(file, "its header or its check sums are not those that were written", null);
        }
    }

    private int sum(long number) {
        return sums.memory().get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 4 * number);
    }

    static DatasetException damaged(Path file, String what, @Nullable Exception cause) {
        String message =
                "%s is damaged: %s; copy it here again, or pack its source again with ./trainyard dataset convert"
                        .formatted(file.toAbsolutePath(), what);
        return cause == null ? new DatasetException(message) : new DatasetException(message, cause);
    }

    PackedDescription description() {
        return description;
    }

    Shape shape() {
        return shape("x_train");
    }

    private Shape shape(String name) {
        try {
            return SamplesFromArray.shape(arrays.shape(name), ArraysManifest.Layout.NCHW);
        } catch (InvalidJobException | ArithmeticException e) {
            throw damaged(file, String.valueOf(e.getMessage()), e);
        }
    }

    /// Reads the whole file, on all CPUs, and compares it with the checksums.
    ///
    /// @throws DatasetException with the first position that differs
    void verify() {
        int blocks = Math.toIntExact(sums.memory().byteSize() / 4 - 1);
        int readers = Math.min(blocks, Runtime.getRuntime().availableProcessors());
        IntStream.range(0, readers)
                .parallel()
                .mapToObj(reader -> firstDamaged(
                        (int) ((long) blocks * reader / readers), (int) ((long) blocks * (reader + 1) / readers)))
                .flatMap(Optional::stream)
                .findFirst()
                .ifPresent(block -> {
                    throw damaged(block);
                });
    }

    private Optional<Integer> firstDamaged(int begin, int end) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BLOCK_BYTES);
        CRC32C crc = new CRC32C();
        long coveredEnd =
                arrays.dataBegin() + arrays.dataBytes() - sums.memory().byteSize();
        try {
            for (int block = begin; block < end; block++) {
                long from = arrays.dataBegin() + (long) block * BLOCK_BYTES;
                buffer.clear().limit((int) Math.min(BLOCK_BYTES, coveredEnd - from));
                while (buffer.hasRemaining()) {
                    if (channel.read(buffer, from + buffer.position()) < 0) {
                        throw new EOFException("it has become shorter");
                    }
                }
                crc.reset();
                crc.update(buffer.flip());
                if ((int) crc.getValue() != sum(block)) {
                    return Optional.of(block);
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }

    private DatasetException damaged(int block) {
        long from = (long) block * BLOCK_BYTES;
        long to =
                Math.min(from + BLOCK_BYTES, arrays.dataBytes() - sums.memory().byteSize());
        List<String> within = Stream.of("y_train", "y_validation", "y_test", "x_train", "x_validation", "x_test")
                .filter(arrays::has)
                .filter(name -> arrays.end(name) > from && arrays.begin(name) < to)
                .map(name -> samples(name, from, to))
                .toList();
        return damaged(
                file,
                "between its bytes %d and %d something is not as it was written (%s)"
                        .formatted(arrays.dataBegin() + from, arrays.dataBegin() + to, String.join(", ", within)),
                null);
    }

    private String samples(String name, long from, long to) {
        NumberArray array = arrays.read(name);
        long sample = array.elementsOfOne() * array.type().bytes();
        long first = Math.max(0, from - arrays.begin(name)) / sample;
        long last = (Math.min(to, arrays.end(name)) - arrays.begin(name) - 1) / sample;
        return "samples %d to %d of %s".formatted(first, last, name);
    }

    boolean hasValidation() {
        return arrays.has("x_validation");
    }

    Split part(String name, DatasetInfo info) {
        NumberArray samples = arrays.read("x_" + name);
        NumberArray targets = arrays.read("y_" + name);
        boolean asWritten = samples.type().isByte() || samples.type().isFloat32();
        if (!asWritten || !shape("x_" + name).equals(info.shape())) {
            throw DataFiles.wrong(file, samples.toString(), "uint8 or float32, samples of " + info.shape());
        }
        MemorySegment memory = samples.memory();
        Readahead.mapPages(memory);
        return new Split(
                samples.type().isByte() ? new Samples.Pixels(memory) : new Samples.Values(memory),
                TargetsFromArray.of(targets, info.answers()));
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }
}
