package io.trainyard.data.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The output of `src/test/python/images.py`.
public final class GoldenPictures {
    private static final Path FOLDER = Path.of("src/test/resources/golden/images");
    private static final JsonMapper JSON = new JsonMapper();

    private GoldenPictures() {}

    /// A file, and its pixels after PIL's `convert("RGB")`.
    ///
    /// @param rgb (height, width, 3)
    public record Decoded(String file, int width, int height, byte[] rgb) {
        public byte[] bytes() {
            return GoldenPictures.bytes(file);
        }

        @Override
        public String toString() {
            return file;
        }
    }

    /// The result of torchvision for an image of [#pattern] with this size.
    public record Transformed(ImageSize from, ImageTransform transform, ImageSize to, String sha256) {}

    public static List<Decoded> decoded() {
        return lines("decoded.jsonl").stream()
                .map(line -> new Decoded(
                        line.get("file").asText(),
                        line.get("width").asInt(),
                        line.get("height").asInt(),
                        binary(line.get("rgb"))))
                .toList();
    }

    public static List<Transformed> transformed() {
        return lines("transformed.jsonl").stream()
                .map(line -> new Transformed(
                        size(line.get("from")),
                        new ImageTransform(
                                line.get("grey").asBoolean(),
                                numbers(line.get("resize")),
                                numbers(line.get("centerCrop"))),
                        size(line.get("to")),
                        line.get("sha256").asText()))
                .toList();
    }

    /// The results of random_split by number of samples.
    public static JsonNode splits() {
        try {
            return JSON.readTree(bytes("split.json"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static byte[] bytes(String file) {
        try {
            return Files.readAllBytes(FOLDER.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The script's `pattern`.
    static DecodedImage pattern(ImageSize size) {
        byte[] pixels = new byte[3 * size.pixels()];
        int at = 0;
        for (int y = 0; y < size.height(); y++) {
            for (int x = 0; x < size.width(); x++) {
                for (int c = 0; c < 3; c++) {
                    pixels[at++] = (byte) (x * x * 3 + y * 7 + x * y * 5 + c * 50);
                }
            }
        }
        return new DecodedImage(size, 3, pixels);
    }

    private static List<JsonNode> lines(String file) {
        List<JsonNode> lines = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(FOLDER.resolve(file))) {
                lines.add(JSON.readTree(line));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lines;
    }

    private static byte[] binary(JsonNode node) {
        try {
            return node.binaryValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ImageSize size(JsonNode node) {
        return new ImageSize(node.get(0).asInt(), node.get(1).asInt());
    }

    private static @Nullable List<Integer> numbers(JsonNode node) {
        if (node.isNull()) {
            return null;
        }
        List<Integer> numbers = new ArrayList<>();
        node.forEach(number -> numbers.add(number.asInt()));
        return numbers;
    }
}
