package io.trainyard.data;

import io.trainyard.data.Dataset.Split;
import io.trainyard.data.ImageParts.Part;
import io.trainyard.data.image.DecodedImage;
import io.trainyard.data.image.ImageSize;
import io.trainyard.data.image.ImageTransform;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/// Reads the images of one part of an image folder as samples. Each image is written at its own index, so the
/// result does not depend on the order of the threads.
final class ImageFolderReader implements ImageDecoding.ImageConsumer {
    private static final System.Logger LOG = System.getLogger(ImageFolderReader.class.getName());

    private final Part part;
    private final ImageTransform transform;
    private final Shape shape;
    private final MemorySegment memory; // (N, C, H, W)

    record Read(Split split, BrokenFiles broken) {}

    ImageFolderReader(Part part, ImageTransform transform, Shape shape, SampleMemory memory) {
        this.part = part;
        this.transform = transform;
        this.shape = shape;
        this.memory = memory.allocate(
                (long) part.images().size() * shape.elements(),
                "%s: %d images of %s"
                        .formatted(part.folder().path(), part.images().size(), shape));
    }

    /// @param most the largest allowed share of broken files
    /// @throws DatasetException if more are broken, or a file cannot be read at all
    /// @throws InvalidJobException if an image has another size than the others
    Read read(double most) {
        SortedMap<Integer, String> broken = new ImageDecoding(part, this).read();
        BrokenFiles left = BrokenFiles.of(part.name(), part.images().size(), broken);
        if (left.count() > most * left.of()) {
            throw new DatasetException(left.refusal(most));
        }
        if (left.count() > 0) {
            LOG.log(Level.WARNING, left.warning());
        }
        return new Read(withoutBroken(broken), left);
    }

    @Override
    public void expect(Path path, ImageSize size) {
        requireSize(path, size, transform.sizeOf(size));
    }

    @Override
    public void take(int index, DecodedImage picture) {
        long sample = shape.elements();
        transform.apply(picture).writePlanes(memory.asSlice(index * sample, sample));
    }

    private void requireSize(Path path, ImageSize was, ImageSize becomes) {
        if (becomes.height() != shape.size(1) || becomes.width() != shape.size(2)) {
            throw new InvalidJobException(
                    "%s has %s pixels and becomes %s, others become %d x %d (width x height); all must become the same: give the job's dataset a size for both sides, such as \"resize\": [%d, %d] (height, width)"
                            .formatted(path, was, becomes, shape.size(2), shape.size(1), shape.size(1), shape.size(2)));
        }
    }

    /// Moves the readable samples together.
    private Split withoutBroken(SortedMap<Integer, String> broken) {
        long sample = shape.elements();
        int[] labels = new int[part.images().size() - broken.size()];
        List<String> files = new ArrayList<>(labels.length);
        int kept = 0;
        for (int i = 0; i < part.images().size(); i++) {
            if (broken.containsKey(i)) {
                continue;
            }
            if (kept < i) {
                MemorySegment.copy(memory, i * sample, memory, kept * sample, sample);
            }
            labels[kept++] = part.images().get(i).label();
            files.add(part.images().get(i).file());
        }
        return new Split(
                new Samples.Pixels(memory.asSlice(0, kept * sample).asReadOnly()),
                new Targets.ClassLabels(labels),
                files);
    }
}
