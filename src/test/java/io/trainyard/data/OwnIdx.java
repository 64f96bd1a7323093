package io.trainyard.data;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/// IDX files of a user's dataset: images of 2x2 pixels.
public final class OwnIdx {
    private OwnIdx() {}

    /// Labels cycle through 0, 1 and 2.
    public static void write(Path folder, int train, int test) throws IOException {
        writePart(folder, "train", train);
        writePart(folder, "t10k", test);
    }

    private static void writePart(Path folder, String part, int samples) throws IOException {
        ByteBuffer images = ByteBuffer.allocate(16 + 4 * samples);
        images.putInt(0x0803).putInt(samples).putInt(2).putInt(2);
        ByteBuffer labels = ByteBuffer.allocate(8 + samples);
        labels.putInt(0x0801).putInt(samples);
        for (int n = 0; n < samples; n++) {
            images.putInt(0x01020304 * (1 + n % 3));
            labels.put((byte) (n % 3));
        }
        Files.write(folder.resolve(part + "-images-idx3-ubyte"), images.array());
        Files.write(folder.resolve(part + "-labels-idx1-ubyte"), labels.array());
    }
}
