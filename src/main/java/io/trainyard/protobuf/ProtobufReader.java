package io.trainyard.protobuf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// Reads a Protocol Buffers message field by field; skips unknown fields.
public final class ProtobufReader {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH = 2;
    private static final int FIXED32 = 5;
    private static final int MAX_SHIFT = 63;

    private final ByteBuffer bytes;
    private int field;
    private int type;

    public ProtobufReader(ByteBuffer bytes) {
        this.bytes = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /// Moves to the next field. The caller reads or skips its value.
    ///
    /// @return false at the end
    public boolean next() throws IOException {
        if (!bytes.hasRemaining()) {
            return false;
        }
        long key = varint();
        field = (int) (key >>> 3);
        type = (int) (key & 7);
        return true;
    }

    public int field() {
        return field;
    }

    public long number() throws IOException {
        require(type == VARINT);
        return varint();
    }

    public double real64() throws IOException {
        require(type == FIXED64 && bytes.remaining() >= Double.BYTES);
        return bytes.getDouble();
    }

    public float real32() throws IOException {
        require(type == FIXED32 && bytes.remaining() >= Float.BYTES);
        return bytes.getFloat();
    }

    public String text() throws IOException {
        return StandardCharsets.UTF_8.decode(content()).toString();
    }

    /// A nested message, or bytes.
    public ByteBuffer content() throws IOException {
        require(type == LENGTH);
        long length = varint();
        require(length >= 0 && length <= bytes.remaining());
        ByteBuffer content = bytes.slice(bytes.position(), (int) length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.position(bytes.position() + (int) length);
        return content;
    }

    public void skip() throws IOException {
        switch (type) {
            case VARINT -> {
                var _ = varint();
            }
            case FIXED64 -> {
                var _ = real64();
            }
            case FIXED32 -> {
                var _ = real32();
            }
            case LENGTH -> {
                var _ = content();
            }
            default -> require(false);
        }
    }

    private long varint() throws IOException {
        long value = 0;
        for (int shift = 0; shift <= MAX_SHIFT; shift += 7) {
            require(bytes.hasRemaining());
            byte b = bytes.get();
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new IOException("it is not a message");
    }

    private static void require(boolean well) throws IOException {
        if (!well) {
            throw new IOException("it is not a message");
        }
    }
}
