package io.trainyard.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
/// bytes, row-major, little-endian. Read and written here: F32 and I64, in the order of their bytes in the file.
///
/// Source: https://huggingface.co/docs/safetensors (format, "1.0").
///
/// @param metadata the header's `__metadata__`: text to text
public record SafeTensors(Map<String, String> metadata, Parameters tensors) {
    private static final String METADATA = "__metadata__";
    private static final int ALIGNMENT = 8;

    /// The format's own limit on the header.
    private static final long MAX_HEADER_BYTES = 100_000_000;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    public SafeTensors {
        metadata = Map.copyOf(metadata);
    }

    /// Writes the same bytes for the same content.
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

    /// @throws CheckpointException if it is not a safetensors file, ends early, or holds other types; says what was
    ///     found
    public static SafeTensors read(InputStream input) throws IOException {
        DataInputStream in = new DataInputStream(input);
        ObjectNode header = readHeader(in);
        Map<String, String> metadata = new LinkedHashMap<>();
        if (header.remove(METADATA) instanceof ObjectNode text) {
            text.properties()
                    .forEach(entry ->
                            metadata.put(entry.getKey(), entry.getValue().asText()));
        }
        List<Map.Entry<String, JsonNode>> rows = new ArrayList<>(header.properties());
        rows.sort((a, b) -> Long.compare(begin(a.getValue()), begin(b.getValue())));
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        long offset = 0;
        for (var row : rows) {
            Tensor tensor = readTensor(in, row.getKey(), row.getValue(), offset);
            tensors.put(row.getKey(), tensor);
            offset += byteSize(tensor);
        }
        if (in.read() != -1) {
            throw new CheckpointException("there are bytes after the last tensor, which ends at byte " + offset);
        }
        return new SafeTensors(metadata, new Parameters(tensors));
    }

    private static ObjectNode readHeader(DataInputStream in) throws IOException {
        byte[] length = in.readNBytes(Long.BYTES);
        long size = length.length == Long.BYTES ? littleEndian(length).getLong() : -1;
        if (size < 2 || size > MAX_HEADER_BYTES) {
            throw new CheckpointException("it does not begin with the length of a safetensors header");
        }
        byte[] json = in.readNBytes((int) size);
        try {
            if (json.length == size && MAPPER.readTree(json) instanceof ObjectNode header) {
                return header;
            }
        } catch (JsonProcessingException e) {
            throw new CheckpointException("its header is not JSON", e);
        }
        throw new CheckpointException("its header of %d bytes ends early or is no JSON object".formatted(size));
    }

    private static Shape shape(String name, JsonNode written) {
        List<Integer> sizes = new ArrayList<>();
        written.forEach(size -> sizes.add(size.isInt() ? size.intValue() : -1)); // which no shape has
        try {
            if (written.isArray()) {
                return new Shape(sizes);
            }
        } catch (InvalidJobException e) {
            throw new CheckpointException("tensor %s cannot be: %s".formatted(name, e.getMessage()), e);
        }
        throw new CheckpointException("tensor %s has no shape; a list of sizes is expected".formatted(name));
    }

    private static Tensor readTensor(DataInputStream in, String name, JsonNode row, long offset) throws IOException {
        String type = row.path("dtype").asText();
        int width = switch (type) {
            case "F32" -> Float.BYTES;
            case "I64" -> Long.BYTES;
            default ->
                throw new CheckpointException(
                        "tensor %s has the type \"%s\"; F32 and I64 can be read".formatted(name, type));
        };
        Shape shape = shape(name, row.path("shape"));
        long bytes = (long) width * shape.elements();
        if (begin(row) != offset || row.path("data_offsets").path(1).asLong() != offset + bytes) {
            throw new CheckpointException("tensor %s of shape %s lies at %s; expected is [%d,%d]"
                    .formatted(name, shape, row.path("data_offsets"), offset, offset + bytes));
        }
        byte[] content = in.readNBytes(Math.toIntExact(bytes));
        if (content.length < bytes) {
            throw new CheckpointException(
                    "it ends inside tensor %s: %d of %d bytes are there".formatted(name, content.length, bytes));
        }
        if (type.equals("F32")) {
            float[] values = new float[shape.elements()];
            littleEndian(content).asFloatBuffer().get(values);
            return new Tensor.Floats(shape, values);
        }
        long[] values = new long[shape.elements()];
        littleEndian(content).asLongBuffer().get(values);
        return new Tensor.Longs(shape, values);
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
