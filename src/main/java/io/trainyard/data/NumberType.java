package io.trainyard.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The element type of an array in a file.
///
/// @param bytes of one number
/// @param whole whether it is an integer
record NumberType(Kind kind, int bytes, boolean whole, ByteOrder order) {
    enum Kind {
        UNSIGNED,
        SIGNED,
        FLOAT,
        BFLOAT
    }

    static NumberType unsigned(int bytes, ByteOrder order) {
        return new NumberType(Kind.UNSIGNED, bytes, true, order);
    }

    static NumberType signed(int bytes, ByteOrder order) {
        return new NumberType(Kind.SIGNED, bytes, true, order);
    }

    static NumberType floating(int bytes, ByteOrder order) {
        return new NumberType(Kind.FLOAT, bytes, false, order);
    }

    boolean isByte() {
        return kind == Kind.UNSIGNED && bytes == 1;
    }

    /// Whether it is float32 in the byte order of [Samples.Values].
    boolean isFloat32() {
        return kind == Kind.FLOAT && bytes == Float.BYTES && order == ByteOrder.LITTLE_ENDIAN;
    }

    /// Reads one number; integers are exact up to 2^53.
    ///
    /// @param index in numbers, not bytes
    double get(MemorySegment memory, long index) {
        long at = index * bytes;
        return switch (kind) {
            case UNSIGNED -> {
                long value = bits(memory, at);
                yield bytes == Long.BYTES && value < 0 ? (value >>> 1) * 2.0 : value;
            }
            case SIGNED -> {
                int unused = Long.SIZE - Byte.SIZE * bytes;
                yield bits(memory, at) << unused >> unused;
            }
            case FLOAT ->
                switch (bytes) {
                    case Short.BYTES -> Float.float16ToFloat((short) bits(memory, at));
                    case Float.BYTES -> Float.intBitsToFloat((int) bits(memory, at));
                    default -> Double.longBitsToDouble(bits(memory, at));
                };
            case BFLOAT -> Float.intBitsToFloat((int) bits(memory, at) << Short.SIZE);
        };
    }

    private long bits(MemorySegment memory, long at) {
        return switch (bytes) {
            case Byte.BYTES -> Byte.toUnsignedLong(memory.get(ValueLayout.JAVA_BYTE, at));
            case Short.BYTES -> Short.toUnsignedLong(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(order), at));
            case Integer.BYTES ->
                Integer.toUnsignedLong(memory.get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(order), at));
            default -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(order), at);
        };
    }

    /// numpy's name: `uint8`, `float32`.
    @Override
    public String toString() {
        String name = switch (kind) {
            case UNSIGNED -> "uint";
            case SIGNED -> "int";
            case FLOAT -> "float";
            case BFLOAT -> "bfloat";
        };
        return name + Byte.SIZE * bytes;
    }
}
