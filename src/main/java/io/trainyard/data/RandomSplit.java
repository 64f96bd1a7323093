package io.trainyard.data;

import io.trainyard.data.Dataset.Split;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SplitSpec;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Draws the parts of a dataset that its files do not have.
final class RandomSplit {
    private RandomSplit() {}

    /// Chooses the split.
    ///
    /// @param described default from `dataset.json`; null: none
    /// @param hasTests whether the dataset has a test part
    /// @param hasValidation whether it has a validation part
    /// @return null if nothing is drawn
    /// @throws DatasetException if there is neither a test part nor a split
    /// @throws InvalidJobException if there are both
    static @Nullable SplitSpec of(
            DataFolder folder,
            DatasetSpec spec,
            @Nullable SplitSpec described,
            boolean hasTests,
            boolean hasValidation) {
        SplitSpec used = spec.split() == null ? described : spec.split();
        if (!hasTests && (used == null || used.test() == null)) {
            throw new DatasetException(
                    "%s has no part to test with; put it there, or write into the job's dataset \"split\": {\"test\": 0.2, \"seed\": 0}"
                            .formatted(folder.path()));
        }
        requireMissing(folder.path().toString(), used, hasTests, hasValidation);
        return used;
    }

    /// @throws InvalidJobException if a part that the dataset has would be drawn
    static void requireMissing(String folder, @Nullable SplitSpec used, boolean hasTests, boolean hasValidation) {
        if (used != null && hasTests && used.test() != null) {
            throw new InvalidJobException("%s has a part to test with; leave out dataset.split%s"
                    .formatted(folder, used.validation() == null ? "" : ".test"));
        }
        if (used != null && hasValidation && used.validation() != null) {
            throw new InvalidJobException("%s has a validation part; leave out dataset.split%s"
                    .formatted(folder, used.test() == null ? "" : ".validation"));
        }
    }

    /// Indices of the training, validation and test samples, in this order, as `torch.utils.data.random_split`
    /// returns them: each share is rounded down, and the parts get one of the remaining samples each in turn. A
    /// part that is not drawn is empty.
    ///
    /// @throws InvalidJobException if a drawn part, or the training part, would be empty
    static int[][] indices(int samples, SplitSpec split) {
        double validation = split.validation() == null ? 0 : split.validation();
        double test = split.test() == null ? 0 : split.test();
        double[] shares = {1 - validation - test, validation, test};
        int[] sizes = Arrays.stream(shares)
                .mapToInt(share -> (int) Math.floor(samples * share))
                .toArray();
        int leftOver = samples - IntStream.of(sizes).sum();
        for (int part = 0; leftOver > 0; part = (part + 1) % sizes.length) {
            if (part == 0 || shares[part] > 0) {
                sizes[part]++;
                leftOver--;
            }
        }
        requireSome("test", split.test(), sizes[2], sizes[0], samples);
        requireSome("validation", split.validation(), sizes[1], sizes[0], samples);
        int[] order = TorchRandom.permutation(split.seed(), samples);
        return new int[][] {
            Arrays.copyOf(order, sizes[0]),
            Arrays.copyOfRange(order, sizes[0], sizes[0] + sizes[1]),
            Arrays.copyOfRange(order, sizes[0] + sizes[1], samples)
        };
    }

    private static void requireSome(String part, @Nullable Double share, int drawn, int trained, int samples) {
        if (share != null && (drawn == 0 || trained == 0)) {
            throw new InvalidJobException(
                    "dataset.split.%s is %s, which makes %d of %d samples %s; choose a share that leaves each part some"
                            .formatted(part, share, drawn, samples, part));
        }
    }

    /// The parts, copied out of `whole` in their order.
    ///
    /// @param split null if nothing is drawn
    /// @param validation null if it is drawn or does not exist
    /// @param test null if it is drawn
    static Dataset dataset(
            DatasetInfo info,
            @Nullable SplitSpec split,
            Split whole,
            @Nullable Split validation,
            @Nullable Split test,
            SampleMemory memory) {
        Split train = whole;
        if (split != null) {
            int[][] parts = indices(whole.size(), split);
            train = pick(whole, parts[0], info.shape(), memory);
            validation = parts[1].length == 0 ? validation : pick(whole, parts[1], info.shape(), memory);
            test = parts[2].length == 0 ? test : pick(whole, parts[2], info.shape(), memory);
        }
        return new Dataset(
                info.name(),
                info.shape(),
                info.outputs(),
                train,
                validation,
                Objects.requireNonNull(test, "a test part is drawn if there is none"),
                List.of());
    }

    /// The same dataset with a drawn validation part.
    ///
    /// @param split null if nothing is drawn
    static Dataset dataset(DatasetInfo info, @Nullable SplitSpec split, Dataset whole, SampleMemory memory) {
        return split == null ? whole : dataset(info, split, whole.train(), null, whole.test(), memory);
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
