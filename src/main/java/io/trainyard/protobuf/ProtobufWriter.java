package io.trainyard.protobuf;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// Writes a Protocol Buffers message field by field; supports only the types that are used here.
public final class ProtobufWriter {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH = 2;
    private static final int FIXED32 = 5;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    public ProtobufWriter number(int field, long value) {
        key(field, VARINT);
        varint(value);
        return this;
    }

    public ProtobufWriter real(int field, double value) {
        key(field, FIXED64);
        out.writeBytes(ByteBuffer.allocate(Double.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putDouble(value)
                .array());
        return this;
    }

    public ProtobufWriter real(int field, float value) {
        key(field, FIXED32);
        out.writeBytes(ByteBuffer.allocate(Float.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(value)
                .array());
        return this;
    }

    public ProtobufWriter text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    public ProtobufWriter message(int field, ProtobufWriter value) {
        return bytes(field, value.bytes());
    }

    private ProtobufWriter bytes(int field, byte[] value) {
        return begin(field, value.length).raw(value);
    }

    /// Begins a field whose `length` bytes follow.
    public ProtobufWriter begin(int field, long length) {
        key(field, LENGTH);
        varint(length);
        return this;
    }

    public ProtobufWriter raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    public byte[] bytes() {
        return out.toByteArray();
    }

    private void key(int field, int type) {
        varint((long) field << 3 | type);
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
