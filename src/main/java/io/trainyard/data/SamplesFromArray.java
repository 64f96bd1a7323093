package io.trainyard.data;

import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Makes a dataset's samples of an array. Bytes stay bytes; all other types become float32. Bytes and float32
/// that are in (C, H, W) order already are not copied.
///
/// @param layout of four-dimensional arrays; null for all others
/// @param memory for copies
record SamplesFromArray(ArraysManifest.@Nullable Layout layout, SampleMemory memory) {

    /// Returns the shape of one sample: (F), (1, H, W) or (C, H, W).
    ///
    /// @throws InvalidJobException if the layout is needed but missing
    static Shape shape(List<Long> array, ArraysManifest.@Nullable Layout layout) {
        List<Integer> sizes = array.stream().map(Math::toIntExact).toList();
        return switch (sizes.size()) {
            case 2 -> Shape.of(sizes.get(1));
            case 3 -> Shape.of(1, sizes.get(1), sizes.get(2));
            case 4 ->
                switch (layout) {
                    case NCHW -> Shape.of(sizes.get(1), sizes.get(2), sizes.get(3));
                    case NHWC -> Shape.of(sizes.get(3), sizes.get(1), sizes.get(2));
                    case null ->
                        throw new InvalidJobException(
                                "layout is missing, but x_train is of %s; set \"NCHW\" or \"NHWC\"".formatted(array));
                };
            default ->
                throw new InvalidJobException(
                        "x_train is of %s; allowed is (N, F), (N, H, W), (N, C, H, W) or (N, H, W, C)"
                                .formatted(array));
        };
    }

    /// @param shape of one sample
    /// @throws DatasetException if the samples have another shape, or a value is NaN or infinite
    Samples of(NumberArray array, Shape shape) {
        if (array.rank() < 2 || !shape(array.shape(), layout).equals(shape)) {
            throw DataFiles.wrong(array.file(), array.toString(), "samples of %s, as in x_train".formatted(shape));
        }
        boolean inOrder = array.rank() < 4 || layout == ArraysManifest.Layout.NCHW || shape.size(0) == 1;
        if (array.type().isByte()) {
            return new Samples.Pixels(inOrder ? array.memory() : planes(array, shape));
        }
        Samples.Values values = new Samples.Values(
                inOrder && array.type().isFloat32() ? array.memory() : floats(array, inOrder, shape));
        requireFinite(array, values);
        return values;
    }

    private MemorySegment planes(NumberArray array, Shape shape) {
        MemorySegment planes = memory.allocate(array.elements(), array.toString());
        int channels = shape.size(0);
        int area = shape.elements() / channels;
        byte[] sample = new byte[channels * area];
        byte[] inPlanes = new byte[sample.length];
        for (long first = 0; first < array.elements(); first += sample.length) {
            MemorySegment.copy(array.memory(), ValueLayout.JAVA_BYTE, first, sample, 0, sample.length);
            for (int i = 0; i < sample.length; i++) {
                inPlanes[inPlanes(i, channels, area)] = sample[i];
            }
            MemorySegment.copy(inPlanes, 0, planes, ValueLayout.JAVA_BYTE, first, sample.length);
        }
        return planes;
    }

    private MemorySegment floats(NumberArray array, boolean inOrder, Shape shape) {
        MemorySegment floats = memory.allocate(array.elements() * Float.BYTES, array.toString());
        int channels = shape.size(0);
        int elements = shape.elements();
        long all = array.elements();
        for (long i = 0; i < all; i++) {
            int inSample = (int) (i % elements);
            long to = inOrder ? i : i - inSample + inPlanes(inSample, channels, elements / channels);
            floats.setAtIndex(Samples.Values.LAYOUT, to, (float) array.get(i));
        }
        return floats;
    }

    /// The index in (C, H, W) of an index in (H, W, C).
    ///
    /// @param area height times width
    private static int inPlanes(int index, int channels, int area) {
        return index % channels * area + index / channels;
    }

    /// The error names the position in the file, which differs from the position in memory.
    private static void requireFinite(NumberArray array, Samples.Values values) {
        long all = values.values();
        for (long i = 0; i < all; i++) {
            if (!Float.isFinite(values.memory().getAtIndex(Samples.Values.LAYOUT, i))) {
                long first = 0;
                while (Float.isFinite((float) array.get(first))) {
                    first++;
                }
                throw DataFiles.wrong(
                        array.file(),
                        "%s of %s".formatted(array.place(first), array.get(first)),
                        "numbers that are finite as float32; fill in or remove missing values");
            }
        }
    }
}
