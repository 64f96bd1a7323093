package io.trainyard.data.image;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Reads numbers from a file's bytes. All methods throw [IndexOutOfBoundsException] past the end.
final class Bytes {
    private static final VarHandle INT_LITTLE =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT_BIG = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private Bytes() {}

    static int unsignedByte(byte[] file, int at) {
        return file[at] & 0xff;
    }

    static int shortLittle(byte[] file, int at) {
        return unsignedByte(file, at) | unsignedByte(file, at + 1) << 8;
    }

    static int shortBig(byte[] file, int at) {
        return unsignedByte(file, at) << 8 | unsignedByte(file, at + 1);
    }

    static int intLittle(byte[] file, int at) {
        return (int) INT_LITTLE.get(file, at);
    }

    static long unsignedIntLittle(byte[] file, int at) {
        return Integer.toUnsignedLong(intLittle(file, at));
    }

    static long unsignedIntBig(byte[] file, int at) {
        return Integer.toUnsignedLong((int) INT_BIG.get(file, at));
    }
}
