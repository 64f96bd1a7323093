package io.trainyard.export.onnx;

import io.trainyard.protobuf.ProtobufWriter;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/// An ONNX graph under construction: nodes and constants. A constant keeps its array, so that weights are not
/// copied. Field numbers are those of `onnx.proto`.
final class Graph {
    private static final int FLOAT = 1;
    private static final int INT64 = 7;
    private static final int CHUNK = 1 << 16;

    private static final int NODE = 1;
    private static final int INITIALIZER = 5;
    private static final int RAW_DATA = 9;

    private final ProtobufWriter small = new ProtobufWriter();
    private final List<Constant> constants = new ArrayList<>();
    private String layer = "";
    private int nodes;

    /// @param head all bytes of the field before the values
    private record Constant(byte[] head, float[] values) {
        long length() {
            return head.length + (long) values.length * Float.BYTES;
        }
    }

    Graph() {
        small.text(2, "network");
    }

    /// Names the following nodes after a layer.
    void layer(String name) {
        layer = name;
    }

    /// @return the name of its output
    String node(String operator, List<String> inputs, ProtobufWriter... attributes) {
        nodes++;
        String name = "%s/%s_%d".formatted(layer, operator, nodes);
        node(operator, inputs, name, attributes);
        return name;
    }

    void node(String operator, List<String> inputs, String output, ProtobufWriter... attributes) {
        ProtobufWriter node = new ProtobufWriter();
        inputs.forEach(input -> node.text(1, input));
        node.text(2, output).text(3, output).text(4, operator);
        for (ProtobufWriter attribute : attributes) {
            node.message(5, attribute);
        }
        small.message(NODE, node);
    }

    /// @return its name
    String constant(String name, float[] values, List<Integer> sizes) {
        ProtobufWriter tensor = new ProtobufWriter();
        sizes.forEach(size -> tensor.number(1, size));
        long length = (long) values.length * Float.BYTES;
        byte[] described =
                tensor.number(2, FLOAT).text(8, name).begin(RAW_DATA, length).bytes();
        ProtobufWriter field = new ProtobufWriter().begin(INITIALIZER, described.length + length);
        constants.add(new Constant(field.raw(described).bytes(), values));
        return name;
    }

    /// A constant of the layer itself.
    String constant(float[] values, List<Integer> sizes) {
        return constant("%s/constant_%d".formatted(layer, constants.size()), values, sizes);
    }

    String constant(double value) {
        return constant(new float[] {(float) value}, List.of());
    }

    String filled(float value, Shape shape) {
        float[] values = new float[shape.elements()];
        Arrays.fill(values, value);
        return constant(values, shape.sizes());
    }

    /// A vector of int64: sizes, paddings or positions.
    String integers(long... values) {
        nodes++;
        String name = "%s/integers_%d".formatted(layer, nodes);
        ProtobufWriter tensor = new ProtobufWriter().number(1, values.length).number(2, INT64);
        LongStream.of(values).forEach(value -> tensor.number(7, value));
        small.message(INITIALIZER, tensor.text(8, name));
        return name;
    }

    /// A tensor of float32 with a batch of any size.
    void input(String name, Shape sample) {
        small.message(11, value(name, sample));
    }

    void output(String name, Shape sample) {
        small.message(12, value(name, sample));
    }

    private static ProtobufWriter value(String name, Shape sample) {
        ProtobufWriter shape = new ProtobufWriter().message(1, new ProtobufWriter().text(2, "batch"));
        sample.sizes().forEach(size -> shape.message(1, new ProtobufWriter().number(1, size)));
        ProtobufWriter tensor = new ProtobufWriter().number(1, FLOAT).message(2, shape);
        return new ProtobufWriter().text(1, name).message(2, new ProtobufWriter().message(1, tensor));
    }

    static ProtobufWriter attribute(String name, float value) {
        return new ProtobufWriter().text(1, name).real(2, value).number(20, 1);
    }

    static ProtobufWriter attribute(String name, long value) {
        return new ProtobufWriter().text(1, name).number(3, value).number(20, 2);
    }

    static ProtobufWriter attributes(String name, long... values) {
        ProtobufWriter attribute = new ProtobufWriter().text(1, name);
        LongStream.of(values).forEach(value -> attribute.number(8, value));
        return attribute.number(20, 7);
    }

    /// Number of bytes.
    long length() {
        return small.bytes().length
                + constants.stream().mapToLong(Constant::length).sum();
    }

    void write(OutputStream out) throws IOException {
        out.write(small.bytes());
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK).order(ByteOrder.LITTLE_ENDIAN);
        for (Constant constant : constants) {
            out.write(constant.head());
            float[] values = constant.values();
            for (int from = 0; from < values.length; from += CHUNK / Float.BYTES) {
                int count = Math.min(CHUNK / Float.BYTES, values.length - from);
                chunk.clear().asFloatBuffer().put(values, from, count);
                out.write(chunk.array(), 0, count * Float.BYTES);
            }
        }
    }
}
