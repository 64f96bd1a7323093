package io.trainyard.data;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Files in MNIST's format: grey images with one shade per class.
public final class GreyImages {
    private static final int IMAGES = 64;
    private static final int SIDE = 28;
    private static final int CLASSES = 10;

    private GreyImages() {}

    /// @param folder created here; called `mnist` in a data root
    public static void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (String part : List.of("train", "t10k")) {
            try (var images = new DataOutputStream(Files.newOutputStream(folder.resolve(part + "-images-idx3-ubyte")));
                    var labels =
                            new DataOutputStream(Files.newOutputStream(folder.resolve(part + "-labels-idx1-ubyte")))) {
                for (int header : new int[] {0x803, IMAGES, SIDE, SIDE}) {
                    images.writeInt(header);
                }
                labels.writeInt(0x801);
                labels.writeInt(IMAGES);
                for (int image = 0; image < IMAGES; image++) {
                    labels.write(image % CLASSES);
                    for (int pixel = 0; pixel < SIDE * SIDE; pixel++) {
                        images.write(image % CLASSES * 25);
                    }
                }
            }
        }
    }
}
