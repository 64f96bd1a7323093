package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.host.BatchAssembler;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.Cutout;
import io.trainyard.spec.AugmentSpec.HorizontalFlip;
import io.trainyard.spec.AugmentSpec.RandomCrop;
import io.trainyard.spec.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AugmentationTest {
    private static final Shape IMAGE = Shape.of(3, 9, 8);

    /// Compares bit for bit, over an epoch with dropout masks between the batches.
    @ParameterizedTest
    @ValueSource(strings = {"augment-all", "augment-crop", "augment-flip-cutout"})
    void givesTorchvisionsImages(String name) {
        GoldenCase golden = GoldenCase.read(name);
        Workload workload = golden.workload();
        Dataset.Split train = workload.dataset().train();
        EpochPlan plan = golden.epoch(0, golden.random());
        BatchAssembler assembler = new BatchAssembler(workload.dataset(), workload.scale());
        float[] expected = golden.recorded().floats("images");
        for (int from = 0; from < train.size(); from += workload.batchSize()) {
            int samples = Math.min(workload.batchSize(), train.size() - from);
            List<Change> changes = workload.augmentation().draw(plan.random(), samples);
            float[] images = new float[samples * IMAGE.elements()];
            assembler.assemble(train, plan.order(), from, samples, changes, MemorySegment.ofArray(images));
            int first = from * IMAGE.elements();
            assertThat(images)
                    .as("samples %d to %d", from, from + samples - 1)
                    .isEqualTo(Arrays.copyOfRange(expected, first, first + images.length));
            plan.random().skip(samples * workload.network().maskElements() * TorchRandom.WORDS_PER_MASK_ELEMENT);
        }
    }

    @ParameterizedTest
    @MethodSource("everyCombination")
    void drawsTheDocumentedNumberOfWords(AugmentSpec spec) {
        Augmentation augmentation = new Augmentation(spec, IMAGE);
        TorchRandom drawn = new TorchRandom(5);
        assertThat(augmentation.draw(drawn, 7)).hasSize(spec.isNone() ? 0 : 7);
        TorchRandom skipped = new TorchRandom(5);
        skipped.skip(7L * augmentation.wordsPerSample());
        assertThat(drawn.state()).isEqualTo(skipped.state());
    }

    static Stream<AugmentSpec> everyCombination() {
        RandomCrop crop = new RandomCrop(2);
        HorizontalFlip flip = new HorizontalFlip(0.5);
        Cutout cutout = new Cutout(4);
        return Stream.of(
                AugmentSpec.NONE,
                new AugmentSpec(crop, null, null),
                new AugmentSpec(null, flip, null),
                new AugmentSpec(null, null, cutout),
                new AugmentSpec(crop, flip, null),
                new AugmentSpec(crop, null, cutout),
                new AugmentSpec(null, flip, cutout),
                new AugmentSpec(crop, flip, cutout));
    }

    @Test
    void staysWithinItsRangesAndReachesTheirEnds() {
        AugmentSpec spec = new AugmentSpec(new RandomCrop(2), new HorizontalFlip(0.25), new Cutout(6));
        List<Change> changes = new Augmentation(spec, IMAGE).draw(new TorchRandom(0), 2000);
        assertThat(changes).extracting(Change::down).contains(-2, 2).allMatch(down -> Math.abs(down) <= 2);
        assertThat(changes).extracting(Change::right).contains(-2, 2).allMatch(right -> Math.abs(right) <= 2);
        assertThat(changes).extracting(Change::cutTop).contains(0, 5).allMatch(top -> top >= 0 && top <= 5);
        assertThat(changes).extracting(Change::cutBottom).contains(3, 9).allMatch(end -> end >= 3 && end <= 9);
        assertThat(changes).extracting(Change::cutLeft).contains(0, 4).allMatch(left -> left >= 0 && left <= 4);
        assertThat(changes).extracting(Change::cutRight).contains(3, 8).allMatch(end -> end >= 3 && end <= 8);
        assertThat(changes.stream().filter(Change::flipped).count()).isBetween(400L, 600L);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1})
    void neverOrAlwaysFlips(double p) {
        AugmentSpec spec = new AugmentSpec(null, new HorizontalFlip(p), null);
        assertThat(new Augmentation(spec, IMAGE).draw(new TorchRandom(0), 1000))
                .allMatch(change -> change.flipped() == (p == 1));
    }
}
