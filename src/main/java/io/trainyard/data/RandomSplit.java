package io.trainyard.data;

import io.trainyard.data.Dataset.Split;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SplitSpec;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Splits off a test part from a dataset that has none.
final class RandomSplit {
    private RandomSplit() {}

    /// Chooses the split.
    ///
    /// @param described default from `dataset.json`; null: none
    /// @param hasTests whether the dataset has a test part
    /// @return null if the dataset has a test part
    /// @throws DatasetException if there is neither a test part nor a split
    /// @throws InvalidJobException if there are both
    static @Nullable SplitSpec of(
            DataFolder folder, DatasetSpec spec, @Nullable SplitSpec described, boolean hasTests) {
        SplitSpec used = spec.split() == null ? described : spec.split();
        if (hasTests && used != null) {
            throw new InvalidJobException(
                    "%s has a part to test with; leave out dataset.split".formatted(folder.path()));
        }
        if (!hasTests && used == null) {
            throw new DatasetException(
                    "%s has no part to test with; put it there, or write into the job's dataset \"split\": {\"test\": 0.2, \"seed\": 0}"
                            .formatted(folder.path()));
        }
        return used;
    }

    /// Indices of the training and test samples, in this order, as `torch.utils.data.random_split` returns them
    /// for the shares `[1 - test, test]`: each share is rounded down, and the remainder goes to training.
    ///
    /// @throws InvalidJobException if a part would be empty
    static int[][] indices(int samples, SplitSpec split) {
        int tests = (int) Math.floor(samples * split.test());
        int leftOver = samples - tests - (int) Math.floor(samples * (1 - split.test()));
        tests += leftOver / 2; // one each in turn, starting with training
        if (tests == 0 || tests == samples) {
            throw new InvalidJobException(
                    "dataset.split.test is %s, which makes %d of %d samples test; choose a share that leaves both parts some"
                            .formatted(split.test(), tests, samples));
        }
        int[] order = TorchRandom.permutation(split.seed(), samples);
        return new int[][] {
            Arrays.copyOfRange(order, 0, samples - tests), Arrays.copyOfRange(order, samples - tests, samples)
        };
    }

    /// The two parts, copied out of `whole` in their order.
    static Dataset dataset(DatasetInfo info, Split whole, SplitSpec split, SampleMemory memory) {
        int[][] parts = indices(whole.size(), split);
        return new Dataset(
                info.name(),
                info.shape(),
                info.outputs(),
                pick(whole, parts[0], info.shape(), memory),
                pick(whole, parts[1], info.shape(), memory));
    }

    private static Split pick(Split whole, int[] indices, Shape shape, SampleMemory memory) {
        long bytes = (long) shape.elements() * whole.samples().valueBytes();
        MemorySegment picked = memory.allocate(bytes * indices.length, "a part of the samples");
        for (int i = 0; i < indices.length; i++) {
            MemorySegment.copy(whole.samples().memory(), indices[i] * bytes, picked, i * bytes, bytes);
        }
        MemorySegment samples = picked.asReadOnly();
        return new Split(
                switch (whole.samples()) {
                    case Samples.Pixels _ -> new Samples.Pixels(samples);
                    case Samples.Values _ -> new Samples.Values(samples);
                },
                whole.targets().pick(indices));
    }
}
