package io.trainyard.device;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.Cutout;
import io.trainyard.spec.AugmentSpec.HorizontalFlip;
import io.trainyard.spec.AugmentSpec.RandomCrop;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.List;

/// Draws the augmentation of a batch, like `RandomCrop`, `RandomHorizontalFlip` and `Cutout` in a DataLoader
/// without worker processes: sample by sample when the batch is loaded, and so before the dropout masks of its
/// step.
///
/// @param image one sample's shape: (channels, rows, columns)
public record Augmentation(AugmentSpec spec, Shape image) {
    /// The change of one image. Its pixel at (row, column) is the original's at (row + down, column + right), or,
    /// if `flipped`, at (row + down, columns - 1 - column + right); black outside the original. After
    /// normalization, rows `cutTop` up to `cutBottom` are zero in columns `cutLeft` up to `cutRight`, ends
    /// exclusive and inside the image.
    public record Change(int down, int right, boolean flipped, int cutTop, int cutBottom, int cutLeft, int cutRight) {}

    /// Generator words for one sample's change. The number does not depend on the drawn values, so a session can
    /// skip them.
    public int wordsPerSample() {
        return (spec.randomCrop() == null ? 0 : 2)
                + (spec.horizontalFlip() == null ? 0 : 1)
                + (spec.cutout() == null ? 0 : 2);
    }

    /// The changes of the next `samples` samples in their order. Without augmentation empty, and nothing is drawn.
    public List<Change> draw(TorchRandom random, int samples) {
        if (spec.isNone()) {
            return List.of();
        }
        List<Change> changes = new ArrayList<>(samples);
        for (int n = 0; n < samples; n++) {
            changes.add(draw(random));
        }
        return changes;
    }

    private Change draw(TorchRandom random) {
        RandomCrop crop = spec.randomCrop();
        int padding = crop == null ? 0 : crop.padding();
        int down = crop == null ? 0 : random.below(2 * padding + 1) - padding;
        int right = crop == null ? 0 : random.below(2 * padding + 1) - padding;
        HorizontalFlip flip = spec.horizontalFlip();
        boolean flipped = flip != null && random.uniform(0, 1) < (float) flip.p(); // torch compares in float32
        Cutout cutout = spec.cutout();
        if (cutout == null) {
            return new Change(down, right, flipped, 0, 0, 0, 0);
        }
        int rows = image.size(1);
        int columns = image.size(2);
        int row = random.below(rows);
        int column = random.below(columns);
        int reach = cutout.size() / 2;
        return new Change(
                down,
                right,
                flipped,
                Math.max(0, row - reach),
                Math.min(rows, row + reach),
                Math.max(0, column - reach),
                Math.min(columns, column + reach));
    }
}
