package io.trainyard.device;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.Cutout;
import io.trainyard.spec.AugmentSpec.HorizontalFlip;
import io.trainyard.spec.AugmentSpec.RandomCrop;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.List;

/// Draws how the samples of a batch are varied, as `RandomCrop`, `RandomHorizontalFlip` and `Cutout` do in a
/// DataLoader without worker processes: sample by sample when the batch is fetched, so before the dropout masks
/// of its step.
///
/// @param image one sample's shape: (channels, rows, columns)
public record Augmentation(AugmentSpec spec, Shape image) {
    /// What becomes of one image. Its pixel at (row, column) is the original's at (row + down, column + right),
    /// or where `flipped` is true at (row + down, columns - 1 - column + right); black where that is outside the
    /// original. After normalising, rows `cutTop` up to `cutBottom` are zero in columns `cutLeft` up to
    /// `cutRight`, ends exclusive and inside the image.
    public record Change(int down, int right, boolean flipped, int cutTop, int cutBottom, int cutLeft, int cutRight) {}

    /// Words of the generator behind one sample's change. They do not depend on what is drawn, so that a session
    /// can skip them.
    public int wordsPerSample() {
        return (spec.randomCrop() == null ? 0 : 2)
                + (spec.horizontalFlip() == null ? 0 : 1)
                + (spec.cutout() == null ? 0 : 2);
    }

    /// The changes of the next `samples` samples in their order; empty, and nothing drawn, without augmentation.
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
