package io.trainyard.data.image;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/// Writes small PNG files without `ImageIO`, which a native image would have to include.
public final class PngWriter {
    private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    private static final int GREY = 0;
    private static final int RGB = 2;
    private static final int BUFFER = 8192;

    private PngWriter() {}

    /// @param planes (channels, height, width), one or three channels
    /// @param every takes each such row and column
    public static byte[] write(byte[] planes, int channels, int height, int width, int every) {
        int rows = Math.ceilDiv(height, every);
        int columns = Math.ceilDiv(width, every);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(SIGNATURE);
        ByteBuffer header = ByteBuffer.allocate(13).putInt(columns).putInt(rows).put((byte) 8);
        chunk(file, "IHDR", header.put((byte) (channels == 1 ? GREY : RGB)).array());
        byte[] lines = new byte[rows * (1 + columns * channels)]; // each begins with its filter: none
        int at = 0;
        for (int y = 0; y < height; y += every) {
            at++;
            for (int x = 0; x < width; x += every) {
                for (int c = 0; c < channels; c++) {
                    lines[at++] = planes[(c * height + y) * width + x];
                }
            }
        }
        chunk(file, "IDAT", compressed(lines));
        chunk(file, "IEND", new byte[0]);
        return file.toByteArray();
    }

    private static byte[] compressed(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Deflater deflater = new Deflater()) {
            deflater.setInput(bytes);
            deflater.finish();
            byte[] buffer = new byte[BUFFER];
            while (!deflater.finished()) {
                out.write(buffer, 0, deflater.deflate(buffer));
            }
        }
        return out.toByteArray();
    }

    private static void chunk(ByteArrayOutputStream file, String type, byte[] content) {
        byte[] name = type.getBytes(StandardCharsets.US_ASCII);
        CRC32 sum = new CRC32();
        sum.update(name);
        sum.update(content);
        file.writeBytes(ByteBuffer.allocate(4).putInt(content.length).array());
        file.writeBytes(name);
        file.writeBytes(content);
        file.writeBytes(ByteBuffer.allocate(4).putInt((int) sum.getValue()).array());
    }
}
