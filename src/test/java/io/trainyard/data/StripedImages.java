package io.trainyard.data;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;

/// Image folders as `src/test/python/image_folder.py` makes them, pixel for pixel.
public final class StripedImages {
    public static final List<String> CLASSES = List.of("checks", "diagonal", "Horizontal", "vertical");

    private StripedImages() {}

    /// Writes the images from `from` (inclusive) to `to` (exclusive) into class folders.
    public static void write(Path folder, int from, int to) throws IOException {
        for (int number = from; number < to; number++) {
            Path below = folder.resolve(CLASSES.get(number % 4));
            write(
                    (number % 10 == 3 ? below.resolve("more") : below)
                            .resolve(number + (number % 6 == 0 ? ".PNG" : ".png")),
                    number);
        }
    }

    public static void write(Path file, int number) throws IOException {
        Files.createDirectories(file.getParent());
        ImageIO.write(image(number), "png", file.toFile());
    }

    private static BufferedImage image(int number) {
        int width = 30 + number * 7 % 20;
        int height = 28 + number * 5 % 16;
        boolean grey = number % 9 == 0;
        BufferedImage image =
                new BufferedImage(width, height, grey ? BufferedImage.TYPE_BYTE_GRAY : BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int[] pixel = {value(number, x, y, 0), value(number, x, y, 1), value(number, x, y, 2)};
                int luma = pixel[0] * 19_595 + pixel[1] * 38_470 + pixel[2] * 7_471 + 0x8000 >> 16;
                image.getRaster().setPixel(x, y, grey ? new int[] {luma} : pixel);
            }
        }
        return image;
    }

    private static int value(int number, int x, int y, int channel) {
        int stripes = switch (number % 4) {
            case 0 -> x / 4 + y / 4;
            case 1 -> (x + y) / 4;
            case 2 -> y / 4;
            default -> x / 4;
        };
        return 60
                + (number * 37 + channel * 53) % 80
                + 90 * (stripes % 2)
                + (x * 31 + y * 17 + number * 13 + channel * 7 + x * y) % 23;
    }
}
