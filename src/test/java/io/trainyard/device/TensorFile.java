package io.trainyard.device;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A safetensors file of recorded numbers. Unlike the production reader it also accepts U8 and F64.
public record TensorFile(JsonNode header, ByteBuffer content) {
    public static TensorFile read(String resource) {
        try (InputStream in = TensorFile.class.getResourceAsStream(resource)) {
            ByteBuffer all = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
            byte[] json = new byte[Math.toIntExact(all.getLong())];
            all.get(json);
            return new TensorFile(new ObjectMapper().readTree(json), all.slice());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Shape shape(String name) {
        List<Integer> sizes = new ArrayList<>();
        header.get(name).get("shape").forEach(size -> sizes.add(size.asInt()));
        return new Shape(sizes);
    }

    byte[] bytes(String name) {
        byte[] values = new byte[shape(name).elements()];
        slice(name, "U8").get(values);
        return values;
    }

    public float[] floats(String name) {
        float[] values = new float[shape(name).elements()];
        slice(name, "F32").asFloatBuffer().get(values);
        return values;
    }

    public double[] doubles(String name) {
        double[] values = new double[shape(name).elements()];
        slice(name, "F64").asDoubleBuffer().get(values);
        return values;
    }

    long[] longs(String name) {
        long[] values = new long[shape(name).elements()];
        slice(name, "I64").asLongBuffer().get(values);
        return values;
    }

    /// All tensors with a name that begins with `prefix`, by the remaining name.
    Map<String, Tensor> tensors(String prefix) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        header.fieldNames().forEachRemaining(name -> {
            if (name.startsWith(prefix)) {
                boolean counter = header.get(name).get("dtype").asText().equals("I64");
                tensors.put(
                        name.substring(prefix.length()),
                        counter
                                ? new Tensor.Longs(shape(name), longs(name))
                                : new Tensor.Floats(shape(name), floats(name)));
            }
        });
        return tensors;
    }

    private ByteBuffer slice(String name, String type) {
        if (!header.get(name).get("dtype").asText().equals(type)) {
            throw new IllegalArgumentException(name + " is not " + type + ": " + header.get(name));
        }
        JsonNode offsets = header.get(name).get("data_offsets");
        int from = offsets.get(0).asInt();
        return content.slice(from, offsets.get(1).asInt() - from).order(ByteOrder.LITTLE_ENDIAN);
    }
}
