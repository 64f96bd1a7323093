package io.trainyard.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.Parameters;
import io.trainyard.device.Tensor;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The safetensors format: eight bytes of header length (little-endian), the header as JSON, then the tensors'
/// bytes, row-major, little-endian. Supports F32 and I64. Tensors are in the order of their bytes in the file.
///
/// Source: https://huggingface.co/docs/safetensors (format, "1.0").
///
/// @param metadata the header's `__metadata__`, text to text
public record SafeTensors(Map<String, String> metadata, Parameters tensors) {
    private static final String METADATA = "__metadata__";
    private static final int ALIGNMENT = 8;

    /// A network of a thousand layers with its optimizer state needs less. Parsed JSON takes up to thirty times
    /// as much heap.
    static final int MAX_HEADER_BYTES = 4 << 20;

    /// The maximum length of header text in messages, in characters.
    private static final int MAX_SHOWN = 100;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    public SafeTensors {
        metadata = Map.copyOf(metadata);
    }

    /// Equal content gives equal bytes.
    public void write(OutputStream out) throws IOException {
        ObjectNode header = MAPPER.createObjectNode();
        ObjectNode text = header.putObject(METADATA);
        metadata.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> text.put(entry.getKey(), entry.getValue()));
        long offset = 0;
        for (var entry : tensors.tensors().entrySet()) {
            Tensor tensor = entry.getValue();
            long end = offset + byteSize(tensor);
            ObjectNode row = header.putObject(entry.getKey());
            row.put("dtype", tensor instanceof Tensor.Floats ? "F32" : "I64");
            tensor.shape().sizes().forEach(row.putArray("shape")::add);
            row.putArray("data_offsets").add(offset).add(end);
            offset = end;
        }
        byte[] json = MAPPER.writeValueAsBytes(header);
        int padding = Math.floorMod(-json.length, ALIGNMENT);
        byte[] length = new byte[Long.BYTES];
        littleEndian(length).putLong(json.length + padding);
        out.write(length);
        out.write(json);
        out.write(" ".repeat(padding).getBytes(StandardCharsets.US_ASCII));
        for (Tensor tensor : tensors.tensors().values()) {
            out.write(bytes(tensor));
        }
    }

    private record Row(String name, boolean isFloat, Shape shape) {
        long bytes() {
            return (long) (isFloat ? Float.BYTES : Long.BYTES) * shape.elements();
        }
    }

    /// Checks the whole header, and that the tensors fit into the heap, before it reads the first tensor.
    ///
    /// @throws CheckpointException if it is not a safetensors file, is truncated or has other types; the
    ///     message has the reason
    /// @throws DeviceMemoryException if the tensors do not fit into the heap
    public static SafeTensors read(InputStream input) throws IOException {
        return read(input, Runtime.getRuntime().maxMemory());
    }

    static SafeTensors read(InputStream input, long heapBytes) throws IOException {
        DataInputStream in = new DataInputStream(input);
        ObjectNode header = readHeader(in);
        Map<String, String> metadata = removeMetadata(header);
        List<Row> rows = rows(header);
        requireHeap(rows, heapBytes);
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (Row row : rows) {
            tensors.put(row.name(), readTensor(in, row));
        }
        if (in.read() != -1) {
            throw new CheckpointException("there are bytes after the last tensor, which ends at byte " + total(rows));
        }
        return new SafeTensors(metadata, new Parameters(tensors));
    }

    /// Reads the header's metadata only.
    static Map<String, String> readMetadata(InputStream input) throws IOException {
        return removeMetadata(readHeader(new DataInputStream(input)));
    }

    private static Map<String, String> removeMetadata(ObjectNode header) {
        Map<String, String> metadata = new LinkedHashMap<>();
        if (header.remove(METADATA) instanceof ObjectNode text) {
            text.properties()
                    .forEach(entry ->
                            metadata.put(entry.getKey(), entry.getValue().asText()));
        }
        return metadata;
    }

    /// The rows in the order of their bytes in the file.
    private static List<Row> rows(ObjectNode header) {
        List<Map.Entry<String, JsonNode>> written = new ArrayList<>(header.properties());
        written.sort((a, b) -> Long.compare(begin(a.getValue()), begin(b.getValue())));
        List<Row> rows = new ArrayList<>();
        long offset = 0;
        for (var entry : written) {
            Row row = row(entry.getKey(), entry.getValue());
            long end = offset + row.bytes();
            JsonNode offsets = entry.getValue().path("data_offsets");
            if (begin(entry.getValue()) != offset || offsets.path(1).asLong() != end) {
                throw new CheckpointException("tensor %s of shape %s lies at %s; expected is [%d,%d]"
                        .formatted(row.name(), row.shape(), shortened(offsets.toString()), offset, end));
            }
            rows.add(row);
            offset = end;
        }
        return rows;
    }

    private static Row row(String name, JsonNode written) {
        String type = written.path("dtype").asText();
        boolean isFloat = type.equals("F32");
        if (!isFloat && !type.equals("I64")) {
            throw new CheckpointException(
                    "tensor %s has the type \"%s\"; F32 and I64 can be read".formatted(name, shortened(type)));
        }
        return new Row(name, isFloat, shape(name, written.path("shape")));
    }

    private static long total(List<Row> rows) {
        return rows.stream().mapToLong(Row::bytes).sum();
    }

    /// While a tensor is read, its bytes are in the heap twice.
    private static void requireHeap(List<Row> rows, long heapBytes) {
        long largest = rows.stream().mapToLong(Row::bytes).max().orElse(0);
        long needed = total(rows) + largest;
        if (needed > heapBytes) {
            throw new DeviceMemoryException(
                    "to read the tensors of the checkpoint takes %d MiB, and the Java heap of this process is %d MiB at most; give Java more with -Xmx"
                            .formatted(needed >> 20, heapBytes >> 20));
        }
    }

    private static String shortened(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
    }

    private static ObjectNode readHeader(DataInputStream in) throws IOException {
        byte[] length = in.readNBytes(Long.BYTES);
        long size = length.length == Long.BYTES ? littleEndian(length).getLong() : -1;
        if (size < 2 || size > MAX_HEADER_BYTES) {
            throw new CheckpointException(
                    "it does not begin with the length of a safetensors header, which is 2 to %d bytes"
                            .formatted(MAX_HEADER_BYTES));
        }
        byte[] json = in.readNBytes((int) size);
        try {
            if (json.length == size && MAPPER.readTree(json) instanceof ObjectNode header) {
                return header;
            }
        } catch (JsonProcessingException e) {
            throw new CheckpointException("its header is not JSON", e);
        }
        throw new CheckpointException("its header of %d bytes ends early or is not a JSON object".formatted(size));
    }

    private static Shape shape(String name, JsonNode written) {
        List<Integer> sizes = new ArrayList<>();
        written.forEach(size -> sizes.add(size.isInt() ? size.intValue() : -1)); // -1 is an invalid size
        try {
            if (written.isArray()) {
                return new Shape(sizes);
            }
        } catch (InvalidJobException e) {
            throw new CheckpointException("tensor %s cannot be: %s".formatted(name, e.getMessage()), e);
        }
        throw new CheckpointException("tensor %s has no shape; a list of sizes is expected".formatted(name));
    }

    private static Tensor readTensor(DataInputStream in, Row row) throws IOException {
        byte[] content = in.readNBytes(Math.toIntExact(row.bytes()));
        if (content.length < row.bytes()) {
            throw new CheckpointException("it ends inside tensor %s: %d of %d bytes are there"
                    .formatted(row.name(), content.length, row.bytes()));
        }
        if (row.isFloat()) {
            float[] values = new float[row.shape().elements()];
            littleEndian(content).asFloatBuffer().get(values);
            return new Tensor.Floats(row.shape(), values);
        }
        long[] values = new long[row.shape().elements()];
        littleEndian(content).asLongBuffer().get(values);
        return new Tensor.Longs(row.shape(), values);
    }

    private static long begin(JsonNode row) {
        return row.path("data_offsets").path(0).asLong(-1);
    }

    private static byte[] bytes(Tensor tensor) {
        byte[] bytes = new byte[Math.toIntExact(byteSize(tensor))];
        switch (tensor) {
            case Tensor.Floats floats -> littleEndian(bytes).asFloatBuffer().put(floats.values());
            case Tensor.Longs longs -> littleEndian(bytes).asLongBuffer().put(longs.values());
        }
        return bytes;
    }

    private static long byteSize(Tensor tensor) {
        return (long) tensor.shape().elements() * (tensor instanceof Tensor.Floats ? Float.BYTES : Long.BYTES);
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
