package io.trainyard.damage;

import java.util.Arrays;
import java.util.Random;

/// Damages a file at random as faulty disks, networks and attackers do. The same seed gives the same damage.
final class Damage {
    private static final long[] DECODED = {
        0,
        1,
        -1,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0xffff,
        1 << 24,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 32,
        1L << 62,
        Long.MAX_VALUE
    };

    private static final int MOST_CHANGES = 4;
    private static final int LONGEST_RUN = 64;

    private final Random random;

    Damage(long seed) {
        random = new Random(seed);
    }

    byte[] of(byte[] whole) {
        byte[] bytes = whole.clone();
        for (int changes = 1 + random.nextInt(MOST_CHANGES); changes > 0 && bytes.length > 0; changes--) {
            bytes = once(bytes);
        }
        return bytes;
    }

    private byte[] once(byte[] bytes) {
        int at = place(bytes.length);
        int end = Math.min(bytes.length, at + 1 + random.nextInt(LONGEST_RUN));
        switch (random.nextInt(8)) {
            case 0, 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 2 -> Arrays.fill(bytes, at, end, (byte) (random.nextBoolean() ? 0 : -1));
            case 3 -> {
                byte[] noise = new byte[end - at];
                random.nextBytes(noise);
                System.arraycopy(noise, 0, bytes, at, noise.length);
            }
            case 4, 5 -> writeNumber(bytes, at);
            case 6 -> {
                return Arrays.copyOf(bytes, at);
            }
            default -> {
                return repeated(bytes, at, end);
            }
        }
        return bytes;
    }

    /// With probability 1/2 in the header or in the trailer.
    private int place(int length) {
        int edge = Math.min(length, 512);
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(edge);
            case 1 -> random.nextInt(Math.min(length, 64));
            case 2 -> length - 1 - random.nextInt(edge);
            default -> random.nextInt(length);
        };
    }

    /// A number at which lengths and offsets overflow, in 1 to 8 bytes of either byte order.
    private void writeNumber(byte[] bytes, int at) {
        long value = DECODED[random.nextInt(DECODED.length)];
        int size = 1 << random.nextInt(4);
        boolean little = random.nextBoolean();
        for (int i = 0; i < size && at + i < bytes.length; i++) {
            bytes[at + i] = (byte) (value >>> 8 * (little ? i : size - 1 - i));
        }
    }

    /// Repeats the bytes from `from` to `to`.
    private static byte[] repeated(byte[] bytes, int from, int to) {
        byte[] longer = Arrays.copyOf(bytes, bytes.length + to - from);
        System.arraycopy(bytes, from, longer, to, bytes.length - from);
        return longer;
    }
}
