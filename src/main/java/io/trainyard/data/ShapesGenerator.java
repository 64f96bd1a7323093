package io.trainyard.data;

import io.trainyard.spec.Shape;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;

/// Draws the built-in datasets: one [Figure] for each picture, at a random place, in random colours, over a
/// shaded background with distractors and noise. The bits are the same on every machine: each picture has its own
/// random numbers, and uses only exactly specified arithmetic.
///
/// @param trainSize training pictures; a multiple of the classes, to balance them
/// @param testSize test pictures, likewise
/// @param look difficulty
record ShapesGenerator(long seed, int trainSize, int testSize, Style look) implements DatasetSource {
    /// Separates the random numbers of the test part from those of the training part.
    private static final long TEST_SEED_OFFSET = 1L << 32;

    /// The variation of the pictures. Lengths are relative to the picture's side.
    ///
    /// @param minRadius the smallest figure's radius
    /// @param maxRadius the largest figure's
    /// @param shift the largest distance of the centre from the picture's centre, along each axis
    /// @param maxTurn the largest rotation to either side, in radians
    /// @param minContrast the least brightness of a figure above the background, in byte steps
    /// @param noise the largest change of a byte by noise, to either side
    /// @param distractors number of short bars on the background
    record Style(
            double minRadius,
            double maxRadius,
            double shift,
            double maxTurn,
            int minContrast,
            int noise,
            int distractors) {}

    /// 3x32x32, 10 classes.
    static ShapesGenerator shapes32() {
        return new ShapesGenerator(32, 6_400, 1_000, new Style(0.20, 0.34, 0.16, 0.25, 50, 30, 4));
    }

    /// 1x28x28, 10 classes: has more contrast because it has no colours.
    static ShapesGenerator shapes28() {
        return new ShapesGenerator(28, 10_000, 1_000, new Style(0.24, 0.36, 0.10, 0.25, 70, 25, 2));
    }

    /// 3x64x64, 6 classes: near the centre, because its network is an MLP, which is not translation-invariant.
    static ShapesGenerator shapes64() {
        return new ShapesGenerator(64, 2_400, 300, new Style(0.25, 0.36, 0.08, 0.20, 50, 40, 4));
    }

    @Override
    public Dataset read(Path root, DatasetInfo info) {
        return new Dataset(
                info.name(),
                info.shape(),
                info.outputs(),
                part(info, seed, trainSize),
                part(info, seed + TEST_SEED_OFFSET, testSize));
    }

    private Dataset.Split part(DatasetInfo info, long partSeed, int size) {
        byte[] labels = labels(partSeed, size, info.outputs());
        int bytes = info.shape().elements();
        byte[] pixels = new byte[Math.multiplyExact(size, bytes)];
        Figure[] figures = Figure.values();
        IntStream.range(0, size)
                .parallel()
                .forEach(i -> draw(figures[labels[i]], SplitMix64.at(partSeed, i), info.shape(), pixels, i * bytes));
        return new Dataset.Split(pixels, labels);
    }

    /// Every class equally often, in a random order: a job that does not shuffle sees them mixed.
    private static byte[] labels(long partSeed, int size, int classes) {
        byte[] labels = new byte[size];
        SplitMix64 random = SplitMix64.at(partSeed, -1);
        for (int i = 0; i < size; i++) { // Fisher-Yates, inside out
            int j = random.below(i + 1);
            labels[i] = labels[j];
            labels[j] = (byte) (i % classes);
        }
        return labels;
    }

    /// Writes one picture, (C, H, W), from `offset` on.
    private void draw(Figure figure, SplitMix64 random, Shape shape, byte[] pixels, int offset) {
        int channels = shape.size(0);
        int side = shape.size(1);
        int[] canvas = background(random, channels, side);
        for (int i = 0; i < look.distractors(); i++) {
            strewBar(random, canvas, channels, side);
        }
        drawFigure(figure, random, canvas, channels, side);
        addNoise(random, canvas, pixels, offset);
    }

    /// A linear gradient from one corner to the other.
    private static int[] background(SplitMix64 random, int channels, int side) {
        int[] canvas = new int[channels * side * side];
        for (int c = 0; c < channels; c++) {
            int base = 20 + random.below(90);
            int slopeX = random.below(61) - 30;
            int slopeY = random.below(61) - 30;
            for (int y = 0, at = c * side * side; y < side; y++) {
                for (int x = 0; x < side; x++, at++) {
                    canvas[at] = base + (slopeX * (2 * x - side) + slopeY * (2 * y - side)) / (2 * side);
                }
            }
        }
        return canvas;
    }

    /// A vertical or horizontal bar, a sixth to a third of the side long and a sixteenth thick.
    private static void strewBar(SplitMix64 random, int[] canvas, int channels, int side) {
        int length = side / 6 + random.below(side / 6);
        int thickness = Math.max(1, side / 16);
        boolean upright = random.below(2) == 0;
        int width = upright ? thickness : length;
        int height = upright ? length : thickness;
        int left = random.below(side - width);
        int top = random.below(side - height);
        for (int c = 0; c < channels; c++) {
            int colour = 40 + random.below(180);
            for (int y = top; y < top + height; y++) {
                int row = (c * side + y) * side;
                Arrays.fill(canvas, row + left, row + left + width, colour);
            }
        }
    }

    private void drawFigure(Figure figure, SplitMix64 random, int[] canvas, int channels, int side) {
        double radius = side * random.between(look.minRadius(), look.maxRadius());
        double centreX = side * (0.5 + random.between(-look.shift(), look.shift()));
        double centreY = side * (0.5 + random.between(-look.shift(), look.shift()));
        double turn = random.between(-look.maxTurn(), look.maxTurn());
        double cos = StrictMath.cos(turn) / radius; // StrictMath: Math.cos may differ between machines
        double sin = StrictMath.sin(turn) / radius;
        int[] lift = new int[channels];
        for (int c = 0; c < channels; c++) {
            lift[c] = look.minContrast() + random.below(60);
        }
        int reach = (int) (radius * 1.5) + 1;
        for (int y = Math.max(0, (int) centreY - reach); y < Math.min(side, (int) centreY + reach + 1); y++) {
            for (int x = Math.max(0, (int) centreX - reach); x < Math.min(side, (int) centreX + reach + 1); x++) {
                double dx = x + 0.5 - centreX;
                double dy = y + 0.5 - centreY;
                if (figure.covers(dx * cos + dy * sin, dy * cos - dx * sin)) {
                    for (int c = 0; c < channels; c++) {
                        canvas[(c * side + y) * side + x] += lift[c];
                    }
                }
            }
        }
    }

    private void addNoise(SplitMix64 random, int[] canvas, byte[] pixels, int offset) {
        long bits = 0;
        for (int i = 0; i < canvas.length; i++) {
            bits = i % 4 == 0 ? random.next() : bits >>> 16; // four 16-bit numbers from one of 64 bits
            int change = (int) (((bits & 0xffff) * (2 * look.noise() + 1)) >>> 16) - look.noise();
            pixels[offset + i] = (byte) Math.clamp(canvas[i] + change, 0, 255);
        }
    }
}
