package io.trainyard.data;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// Arrays in the formats of numpy and safetensors.
public final class Npy {
    private Npy() {}

    /// @param descr such as `
    /// u1` or `<f4`
    /// @param shape as in Python: `(2, 3)`
    public static byte[] npy(String descr, String shape, byte[] values) {
        String header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }".formatted(descr, shape);
        return npy(header, values);
    }

    /// Padded as numpy pads it.
    public static byte[] npy(String header, byte[] values) {
        String padded = header + " ".repeat(Math.floorMod(-(11 + header.length()), 64)) + "\n";
        return ByteBuffer.allocate(10 + padded.length() + values.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0})
                .putShort((short) padded.length())
                .put(padded.getBytes(StandardCharsets.ISO_8859_1))
                .put(values)
                .array();
    }

    public static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    public static byte[] longs(long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (long value : values) {
            bytes.putLong(value);
        }
        return bytes.array();
    }

    public static byte[] floats(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            bytes.putFloat(value);
        }
        return bytes.array();
    }

    /// @param arrays files of arrays, by name
    public static byte[] npz(Map<String, byte[]> arrays) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            for (var array : arrays.entrySet()) {
                zip.putNextEntry(new ZipEntry(array.getKey() + ".npy"));
                zip.write(array.getValue());
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /// Three rows of two features to train on, two to test on, and their labels.
    public static Map<String, byte[]> rows() {
        Map<String, byte[]> arrays = new LinkedHashMap<>();
        arrays.put("x_train", npy("<f4", "(3, 2)", floats(1, 2, 3, 4, 5, 6)));
        arrays.put("y_train", npy("<i8", "(3,)", longs(0, 2, 1)));
        arrays.put("x_test", npy("<f4", "(2, 2)", floats(7, 8, 9, 10)));
        arrays.put("y_test", npy("<i8", "(2,)", longs(1, 0)));
        return arrays;
    }

    /// Writes each array to its own file.
    public static void write(Path folder, Map<String, byte[]> arrays) throws IOException {
        for (var array : arrays.entrySet()) {
            Files.write(folder.resolve(array.getKey() + ".npy"), array.getValue());
        }
    }

    /// The same rows as safetensors.
    public static byte[] safetensors() {
        String header = """
                {"x_train": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]},
                 "y_train": {"dtype": "I64", "shape": [3], "data_offsets": [24, 48]},
                 "x_test": {"dtype": "F32", "shape": [2, 2], "data_offsets": [48, 64]},
                 "y_test": {"dtype": "I64", "shape": [2], "data_offsets": [64, 80]}}""";
        return ByteBuffer.allocate(8 + header.length() + 80)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(header.length())
                .put(header.getBytes(StandardCharsets.UTF_8))
                .put(floats(1, 2, 3, 4, 5, 6))
                .put(longs(0, 2, 1))
                .put(floats(7, 8, 9, 10))
                .put(longs(1, 0))
                .array();
    }
}
