package io.trainyard.device.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.SeededProperty;
import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.data.Samples;
import io.trainyard.device.Augmentation;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.Cutout;
import io.trainyard.spec.AugmentSpec.HorizontalFlip;
import io.trainyard.spec.AugmentSpec.RandomCrop;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/// On random images, the output of [BatchAssembler] matches the definitions of [Change] and [PixelScale].
class BatchAssemblerPropertiesTest {
    private static final int CHANNELS = 3;
    private static final int SAMPLES = 5;

    @SeededProperty
    void everyPixelMovesByItsChange(
            @ForAll @IntRange(min = 1, max = 40) int rows,
            @ForAll @IntRange(min = 1, max = 40) int columns,
            @ForAll("normalizes") @Nullable Normalize normalize,
            @ForAll("augments") AugmentSpec augment,
            @ForAll long seed) {
        Shape shape = Shape.of(CHANNELS, rows, columns);
        byte[] pixels = new byte[SAMPLES * shape.elements()];
        new Random(seed).nextBytes(pixels);
        Dataset.Split split = new Dataset.Split(pixels, new byte[SAMPLES]);
        PixelScale scale = PixelScale.of(CHANNELS, normalize);
        int[] order = TorchRandom.permutation(seed, SAMPLES);
        List<Change> changes = new Augmentation(augment, shape).draw(new TorchRandom(seed), SAMPLES);

        float[] batch = new float[pixels.length];
        new BatchAssembler(new Dataset("random", shape, 1, split, split), scale)
                .assemble(split, order, 0, SAMPLES, changes, MemorySegment.ofArray(batch));

        for (int i = 0; i < batch.length; i++) {
            int sample = i / shape.elements();
            int channel = i / (rows * columns) % CHANNELS;
            Change change = changes.isEmpty() ? new Change(0, 0, false, 0, 0, 0, 0) : changes.get(sample);
            int channelStart = order[sample] * shape.elements() + channel * rows * columns;
            float expected = pixel(split, channelStart, rows, columns, i % (rows * columns), change, scale, channel);
            if (Float.floatToRawIntBits(batch[i]) != Float.floatToRawIntBits(expected)) {
                assertThat(batch[i])
                        .as("value %d, of sample %d, channel %d, %s", i, sample, channel, change)
                        .isEqualTo(expected);
            }
        }
    }

    /// Floats are handled like bytes, but without the division.
    @SeededProperty
    void floatsAreMovedAndNormalisedAsBytesAre(
            @ForAll @IntRange(min = 1, max = 40) int rows,
            @ForAll @IntRange(min = 1, max = 40) int columns,
            @ForAll("normalizes") @Nullable Normalize normalize,
            @ForAll("augments") AugmentSpec augment,
            @ForAll long seed) {
        Shape shape = Shape.of(CHANNELS, rows, columns);
        byte[] pixels = new byte[SAMPLES * shape.elements()];
        new Random(seed).nextBytes(pixels);
        float[] values = new float[pixels.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = Byte.toUnsignedInt(pixels[i]) / 255f;
        }
        Dataset.Split bytes = new Dataset.Split(pixels, new byte[SAMPLES]);
        Dataset.Split floats = new Dataset.Split(Samples.Values.of(values), bytes.targets());
        int[] order = TorchRandom.permutation(seed, SAMPLES);
        List<Change> changes = new Augmentation(augment, shape).draw(new TorchRandom(seed), SAMPLES);
        PixelScale scale = PixelScale.of(CHANNELS, normalize);
        assertThat(batch(shape, floats, scale, order, changes)).isEqualTo(batch(shape, bytes, scale, order, changes));
    }

    private static float[] batch(
            Shape shape, Dataset.Split split, PixelScale scale, int[] order, List<Change> changes) {
        float[] batch = new float[SAMPLES * shape.elements()];
        new BatchAssembler(new Dataset("random", shape, 1, split, split), scale)
                .assemble(split, order, 0, SAMPLES, changes, MemorySegment.ofArray(batch));
        return batch;
    }

    private static float pixel(
            Dataset.Split split,
            int channelStart,
            int rows,
            int columns,
            int at,
            Change change,
            PixelScale scale,
            int channel) {
        int row = at / columns;
        int column = at % columns;
        boolean cut = row >= change.cutTop()
                && row < change.cutBottom()
                && column >= change.cutLeft()
                && column < change.cutRight();
        int fromRow = row + change.down();
        int fromColumn = (change.flipped() ? columns - 1 - column : column) + change.right();
        boolean inside = 0 <= fromRow && fromRow < rows && 0 <= fromColumn && fromColumn < columns;
        int value = inside
                ? Byte.toUnsignedInt(split.samples()
                        .memory()
                        .get(ValueLayout.JAVA_BYTE, channelStart + fromRow * columns + fromColumn))
                : 0;
        return cut ? 0 : scale.channel(channel)[value];
    }

    @SeededProperty
    void theTableHoldsWhatFloat32Gives(@ForAll("normalizes") @Nullable Normalize normalize) {
        PixelScale scale = PixelScale.of(CHANNELS, normalize);
        for (int channel = 0; channel < CHANNELS; channel++) {
            for (int value = 0; value < 256; value++) {
                float scaled = (float) (value / 255.0); // double rounding is safe: 53 bits > 2 * 24 + 2
                float expected = normalize == null
                        ? scaled
                        : (scaled - normalize.mean().get(channel).floatValue())
                                / normalize.std().get(channel).floatValue();
                assertThat(scale.channel(channel)[value]).isEqualTo(expected);
            }
        }
    }

    @Provide
    Arbitrary<@Nullable Normalize> normalizes() {
        Arbitrary<Double> means = Arbitraries.doubles().between(-2, 2).ofScale(4);
        Arbitrary<Double> stds = Arbitraries.doubles().between(1e-3, 4).ofScale(4);
        return Combinators.combine(means.list().ofSize(CHANNELS), stds.list().ofSize(CHANNELS))
                .as(Normalize::new)
                .injectNull(0.3);
    }

    /// Includes borders and squares larger than the images.
    @Provide
    Arbitrary<AugmentSpec> augments() {
        Arbitrary<RandomCrop> crops = Arbitraries.integers().between(1, 60).map(RandomCrop::new);
        Arbitrary<HorizontalFlip> flips = Arbitraries.of(0.0, 0.5, 1.0).map(HorizontalFlip::new);
        Arbitrary<Cutout> cutouts = Arbitraries.integers().between(1, 30).map(half -> new Cutout(2 * half));
        return Combinators.combine(crops.injectNull(0.3), flips.injectNull(0.3), cutouts.injectNull(0.3))
                .as(AugmentSpec::new);
    }
}
