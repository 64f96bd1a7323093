package io.trainyard.data;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Named arrays in one mapped safetensors file (https://huggingface.co/docs/safetensors).
final class SafetensorsFile implements ArrayFiles {
    /// The header of a few arrays has some hundred bytes.
    static final int MAX_HEADER_BYTES = 1 << 20;

    private static final ValueLayout.OfLong LENGTH = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final Path file;
    private final MemorySegment all;
    private final long dataBegin;
    private final JsonNode header;

    SafetensorsFile(Path file) {
        this(file, mapped(file));
    }

    /// @param channel may be closed afterwards
    SafetensorsFile(Path file, FileChannel channel) {
        this(file, mapped(file, channel));
    }

    private static MemorySegment mapped(Path file) {
        try (FileChannel channel = FileChannel.open(file)) {
            return mapped(file, channel);
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }

    private static MemorySegment mapped(Path file, FileChannel channel) {
        try {
            return channel.map(MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }

    private SafetensorsFile(Path file, MemorySegment all) {
        this.file = file;
        this.all = all;
        long length = all.byteSize() < Long.BYTES ? -1 : all.get(LENGTH, 0);
        if (length < 2 || length > Math.min(MAX_HEADER_BYTES, all.byteSize() - Long.BYTES)) {
            throw DataFiles.wrong(
                    file,
                    "a file of %d bytes that begins with the length %d".formatted(all.byteSize(), length),
                    "a safetensors file, whose header has at most %d bytes".formatted(MAX_HEADER_BYTES));
        }
        this.dataBegin = Long.BYTES + length;
        try {
            this.header = MAPPER.readTree(all.asSlice(Long.BYTES, length).toArray(ValueLayout.JAVA_BYTE));
        } catch (IOException e) { // Jackson reports invalid UTF-8 by another exception than its own
            throw DataFiles.wrong(file, "a header that is not JSON", "a safetensors file", e);
        }
    }

    @Override
    public boolean has(String name) {
        return header.path(name).isObject();
    }

    long dataBegin() {
        return dataBegin;
    }

    MemorySegment header() {
        return all.asSlice(0, dataBegin);
    }

    long dataBytes() {
        return all.byteSize() - dataBegin;
    }

    long begin(String name) {
        return header.path(name).path("data_offsets").path(0).asLong(-1);
    }

    /// The end of an array, as an offset from the first array.
    long end(String name) {
        return header.path(name).path("data_offsets").path(1).asLong(-1);
    }

    Optional<String> metadata(String key) {
        JsonNode value = header.path("__metadata__").path(key);
        return value.isTextual() ? Optional.of(value.asText()) : Optional.empty();
    }

    @Override
    public List<Long> shape(String name) {
        return read(name).shape();
    }

    @Override
    public NumberArray read(String name) {
        JsonNode entry = header.path(name);
        if (!entry.isObject()) {
            List<String> there = new ArrayList<>();
            header.fieldNames().forEachRemaining(one -> there.add(DataFiles.printable(one)));
            throw DataFiles.wrong(
                    file, "the arrays %s".formatted(there.stream().limit(20).toList()), "also one named " + name);
        }
        List<Long> shape = new ArrayList<>();
        entry.path("shape").forEach(size -> shape.add(size.canConvertToLong() ? size.asLong() : -1));
        DataFiles.requireSizes(file, name, shape);
        NumberType type = type(entry.path("dtype").asText());
        if (type == null) {
            throw DataFiles.wrong(
                    file,
                    "%s of the type %s"
                            .formatted(
                                    name,
                                    DataFiles.printable(entry.path("dtype").toString())),
                    "U8, F32, or other integers and floats");
        }
        long begin = begin(name);
        long end = end(name);
        long bytes = Math.multiplyExact(NumberArray.elements(shape), type.bytes());
        if (begin < 0 || end > all.byteSize() - dataBegin || end - begin != bytes) {
            throw DataFiles.wrong(
                    file,
                    "%s at %d to %d of %d bytes".formatted(name, begin, end, all.byteSize() - dataBegin),
                    "%d bytes within the file (%s of %s)".formatted(bytes, type, shape));
        }
        return new NumberArray(file, name, type, shape, all.asSlice(dataBegin + begin, bytes));
    }

    private static @Nullable NumberType type(String dtype) {
        ByteOrder order = ByteOrder.LITTLE_ENDIAN;
        return switch (dtype) {
            case "BOOL", "I8" -> NumberType.signed(1, order);
            case "U8" -> NumberType.unsigned(1, order);
            case "I16" -> NumberType.signed(2, order);
            case "U16" -> NumberType.unsigned(2, order);
            case "I32" -> NumberType.signed(4, order);
            case "U32" -> NumberType.unsigned(4, order);
            case "I64" -> NumberType.signed(8, order);
            case "U64" -> NumberType.unsigned(8, order);
            case "F16" -> NumberType.floating(2, order);
            case "BF16" -> new NumberType(NumberType.Kind.BFLOAT, 2, false, order);
            case "F32" -> NumberType.floating(4, order);
            case "F64" -> NumberType.floating(8, order);
            default -> null; // not supported
        };
    }

    @Override
    public void close() {} // the garbage collector unmaps the file
}
