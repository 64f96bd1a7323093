package io.trainyard.data;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/// Writes a dataset as a [PackedFile]. Labels come first, because safetensors readers in other languages expect
/// wider types before bytes. The training samples start at a page boundary.
final class PackedWriter implements AutoCloseable {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /// The page size of most machines; larger page sizes are multiples of it.
    private static final int PAGE_BYTES = 4_096;

    private static final int HEADER_ALIGNMENT = 8;

    private final FileChannel channel;
    private final ByteBuffer block =
            ByteBuffer.allocateDirect(PackedFile.BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final List<Integer> sums = new ArrayList<>();
    private final CRC32C crc = new CRC32C();

    private record Entry(String name, String type, List<Long> shape, long bytes) {}

    private PackedWriter(FileChannel channel) {
        this.channel = channel;
    }

    static void write(Path file, Dataset dataset, PackedDescription description) {
        Path beside = file.resolveSibling(".%s-%s".formatted(file.getFileName(), UUID.randomUUID()));
        try {
            try (PackedWriter writer = new PackedWriter(
                    FileChannel.open(beside, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
                writer.writeAll(file, dataset, description);
            }
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw unwritable(file, e);
        } finally {
            deleteQuietly(beside);
        }
    }

    static DatasetException unwritable(Path file, IOException e) {
        return new DatasetException(
                "%s cannot be written (%s: %s); check that there is space, and that this user may write there"
                        .formatted(file.toAbsolutePath(), e.getClass().getSimpleName(), e.getMessage()),
                e);
    }

    private static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) { // the file remains under a temporary name that is never read
            System.getLogger(PackedWriter.class.getName())
                    .log(System.Logger.Level.WARNING, "%s cannot be removed".formatted(file), e);
        }
    }

    private void writeAll(Path file, Dataset dataset, PackedDescription description) throws IOException {
        byte[] header = header(file, dataset, description);
        writeAll(ByteBuffer.wrap(header));
        for (Dataset.Split part : dataset.parts().values()) {
            put(part.targets());
        }
        for (Dataset.Split part : dataset.parts().values()) {
            put(part.samples().memory());
        }
        flush();
        ByteBuffer all = ByteBuffer.allocate(4 * (sums.size() + 1)).order(ByteOrder.LITTLE_ENDIAN);
        sums.forEach(all::putInt);
        crc.reset();
        crc.update(header);
        crc.update(all.array(), 0, all.position());
        all.putInt((int) crc.getValue());
        writeAll(all.flip());
        channel.force(true);
    }

    private static byte[] header(Path file, Dataset dataset, PackedDescription description) {
        List<Entry> entries = new ArrayList<>();
        dataset.parts().forEach((name, part) -> entries.add(targets("y_" + name, part.targets())));
        long beforeSamples = entries.stream().mapToLong(Entry::bytes).sum();
        dataset.parts().forEach((name, part) -> entries.add(samples("x_" + name, part, dataset)));
        long covered = entries.stream().mapToLong(Entry::bytes).sum();
        long blocks = Math.ceilDiv(covered, PackedFile.BLOCK_BYTES) + 1;
        entries.add(new Entry(PackedFile.SUMS, "U8", List.of(blocks, 4L), 4 * blocks));
        ObjectNode json = MAPPER.createObjectNode();
        json.putObject("__metadata__")
                .put(PackedFile.FORMAT_KEY, PackedFile.FORMAT)
                .put(PackedFile.DESCRIPTION_KEY, description.json());
        long offset = 0;
        for (Entry entry : entries) {
            ObjectNode row = json.putObject(entry.name()).put("dtype", entry.type());
            entry.shape().forEach(row.putArray("shape")::add);
            row.putArray("data_offsets").add(offset).add(offset + entry.bytes());
            offset += entry.bytes();
        }
        return padded(file, json.toString().getBytes(StandardCharsets.UTF_8), beforeSamples);
    }

    /// The header with its length before it, padded with blanks so that the samples start at a page boundary, or
    /// less than eight bytes after it if the labels are not a multiple of eight.
    private static byte[] padded(Path file, byte[] json, long beforeSamples) {
        if (json.length > SafetensorsFile.MAX_HEADER_BYTES - PAGE_BYTES) {
            throw new DatasetException(
                    "%s would have a header of %d bytes; allowed are %d: give the classes shorter names"
                            .formatted(file, json.length, SafetensorsFile.MAX_HEADER_BYTES - PAGE_BYTES));
        }
        long before = beforeSamples / HEADER_ALIGNMENT * HEADER_ALIGNMENT;
        int padding = (int) Math.floorMod(-(Long.BYTES + json.length + before), (long) PAGE_BYTES);
        return ByteBuffer.allocate(Long.BYTES + json.length + padding)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(json.length + padding)
                .put(json)
                .put(" ".repeat(padding).getBytes(StandardCharsets.US_ASCII))
                .array();
    }

    private static Entry targets(String name, Targets targets) {
        long samples = targets.size();
        return switch (targets) {
            case Targets.ClassLabels _ -> new Entry(name, "I64", List.of(samples), samples * Long.BYTES);
            case Targets.Numbers numbers ->
                new Entry(
                        name,
                        "F32",
                        List.of(samples, (long) numbers.outputs()),
                        samples * numbers.outputs() * Float.BYTES);
        };
    }

    private static Entry samples(String name, Dataset.Split split, Dataset dataset) {
        List<Long> shape = new ArrayList<>(List.of((long) split.size()));
        dataset.shape().sizes().forEach(size -> shape.add((long) size));
        String type = split.samples() instanceof Samples.Pixels ? "U8" : "F32";
        return new Entry(name, type, shape, split.samples().memory().byteSize());
    }

    private void put(Targets targets) throws IOException {
        switch (targets) {
            case Targets.ClassLabels classes -> {
                for (int label : classes.labels()) {
                    ensureCapacity(Long.BYTES);
                    block.putLong(label); // torch's label type
                }
            }
            case Targets.Numbers numbers -> {
                for (float number : numbers.values()) {
                    ensureCapacity(Float.BYTES);
                    block.putFloat(number);
                }
            }
        }
    }

    /// A block is a multiple of every element size, and labels come first, so no element crosses the end of a
    /// block.
    private void ensureCapacity(int bytes) throws IOException {
        if (block.remaining() < bytes) {
            flush();
        }
    }

    private void put(MemorySegment bytes) throws IOException {
        MemorySegment target = MemorySegment.ofBuffer(block.duplicate().clear());
        for (long at = 0; at < bytes.byteSize(); ) {
            ensureCapacity(1);
            int count = (int) Math.min(block.remaining(), bytes.byteSize() - at);
            MemorySegment.copy(bytes, at, target, block.position(), count);
            block.position(block.position() + count);
            at += count;
        }
    }

    private void flush() throws IOException {
        if (block.position() == 0) {
            return;
        }
        crc.reset();
        crc.update(block.flip());
        sums.add((int) crc.getValue());
        writeAll(block.flip());
        block.clear();
    }

    private void writeAll(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            var unused = channel.write(bytes);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
