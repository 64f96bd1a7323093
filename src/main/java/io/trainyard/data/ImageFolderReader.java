package io.trainyard.data;

import io.trainyard.data.Dataset.Split;
import io.trainyard.data.ImageFolder.Image;
import io.trainyard.data.ImageParts.Part;
import io.trainyard.data.image.BrokenPictureException;
import io.trainyard.data.image.PictureFile;
import io.trainyard.data.image.PictureSize;
import io.trainyard.data.image.PictureTransform;
import io.trainyard.data.image.Pictures;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Reads the images of one part of an image folder, on all processors, into memory outside of Java's heap.
/// Each is decoded and transformed at its place among the samples, so that the result does not depend on
/// who was first.
final class ImageFolderReader {
    private static final System.Logger LOG = System.getLogger(ImageFolderReader.class.getName());

    private static final long TOLD_EVERY_NANOS = 10_000_000_000L;

    /// No picture that is within the limits takes nearly as long.
    private static final long STUCK_NANOS = 300_000_000_000L;

    private final Part part;
    private final PictureTransform transform;
    private final Shape shape;
    private final MemorySegment memory; // (N, C, H, W)
    private final DecodingRoom heap = new DecodingRoom(Runtime.getRuntime().maxMemory());
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final SortedMap<Integer, String> broken = new ConcurrentSkipListMap<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /// What was read.
    record Read(Split split, BrokenFiles broken) {}

    /// @param shape of a sample: what every image is to become
    ImageFolderReader(Part part, PictureTransform transform, Shape shape) {
        this.part = part;
        this.transform = transform;
        this.shape = shape;
        this.memory = allocate((long) part.images().size() * shape.elements());
    }

    private MemorySegment allocate(long bytes) {
        try {
            return Arena.ofAuto().allocate(bytes);
        } catch (OutOfMemoryError e) { // of the limit on memory outside the heap, which ends nothing
            throw new DatasetException(
                    "%s: %d images of %s take %d MiB, more than this process may have beside its heap; make them smaller with dataset.resize, or give Java more with -XX:MaxDirectMemorySize"
                            .formatted(part.folder().path(), part.images().size(), shape, bytes >> 20),
                    e);
        }
    }

    /// @param most the largest share of files that may be broken
    /// @throws DatasetException if more are, or a file cannot be read at all
    /// @throws InvalidJobException if an image has another size than the others
    Read read(double most) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0;
                i
                        < Math.min(
                                Runtime.getRuntime().availableProcessors(),
                                part.images().size());
                i++) {
            threads.add(Thread.ofPlatform().name("images-" + i).daemon().start(this::readMany));
        }
        await(threads);
        switch (failure.get()) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Throwable e ->
                throw new IllegalStateException(
                        "reading %s failed".formatted(part.folder().path()), e);
        }
        BrokenFiles left = BrokenFiles.of(part.name(), part.images().size(), broken);
        if (left.count() > most * left.of()) {
            throw new DatasetException(left.refusal(most));
        }
        if (left.count() > 0) {
            LOG.log(Level.WARNING, left.warning());
        }
        return new Read(withoutBroken(), left);
    }

    /// Until all have ended: they do soon after an interrupt, and after a failure.
    private void await(List<Thread> threads) {
        long told = System.nanoTime();
        long moved = told;
        int before = 0;
        try {
            for (Thread thread : threads) {
                while (!thread.join(Duration.ofMillis(200))) {
                    long now = System.nanoTime();
                    int read = done.get();
                    moved = read > before ? now : moved;
                    before = read;
                    if (now - moved > STUCK_NANOS) {
                        failure.compareAndSet(null, stuck(read));
                        return;
                    }
                    if (now - told > TOLD_EVERY_NANOS) {
                        told = now;
                        LOG.log(
                                Level.INFO,
                                "read %d of %d images in %s"
                                        .formatted(
                                                read,
                                                part.images().size(),
                                                part.folder().path()));
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure.compareAndSet(
                    null,
                    new DatasetException(
                            "reading %s was interrupted".formatted(part.folder().path()), e));
        }
    }

    private DatasetException stuck(int read) {
        return new DatasetException(
                "%s: nothing was read for %d seconds, after %d of %d images; look at what holds the disk"
                        .formatted(
                                part.folder().path(),
                                STUCK_NANOS / 1_000_000_000,
                                read,
                                part.images().size()));
    }

    private void readMany() {
        try {
            for (int i = next.getAndIncrement();
                    i < part.images().size() && failure.get() == null;
                    i = next.getAndIncrement()) {
                readOne(i);
                done.incrementAndGet();
            }
        } catch (RuntimeException | Error | InterruptedException e) { // else its image would be left black
            failure.compareAndSet(null, e);
        }
    }

    private void readOne(int index) throws InterruptedException {
        Image image = part.images().get(index);
        Path path = part.folder().path(image);
        try {
            long bytes = Math.min(Files.size(path), Pictures.MAX_FILE_BYTES);
            long needs = decode(index, path, 2 * bytes); // the file, and what of it is left for the decoder
            if (needs > 0) {
                needs = decode(index, path, needs);
            }
        } catch (BrokenPictureException e) {
            broken.put(index, "%s: %s".formatted(image.file(), e.getMessage()));
        } catch (IOException e) {
            throw DataFiles.unreadable(path, e);
        }
    }

    /// Decodes it if there is room.
    ///
    /// @param room bytes to wait for
    /// @return 0, or how many bytes it takes, if it takes more and they are not there
    private long decode(int index, Path path, long room) throws InterruptedException, IOException {
        requireRoom(path, room);
        heap.take(room);
        long taken = room;
        try {
            PictureFile file = Pictures.open(Pictures.bytes(path));
            long needs = 2 * Files.size(path)
                    + (long) file.bytesPerPixel() * file.size().pixels();
            requireRoom(path, needs);
            if (!heap.takeMore(room, needs)) {
                return needs;
            }
            taken = Math.max(room, needs);
            PictureSize size = transform.sizeOf(file.size());
            requireSize(path, file.size(), size);
            long sample = shape.elements();
            transform.apply(file.decode()).writePlanes(memory.asSlice(index * sample, sample));
            return 0;
        } finally {
            heap.giveBack(taken);
        }
    }

    private void requireRoom(Path path, long bytes) {
        if (!heap.has(bytes)) {
            throw new DatasetException(
                    "%s takes %d MiB to decode, and half of the Java heap is %d MiB; make the picture smaller, or give Java more with -Xmx"
                            .formatted(path, bytes >> 20, heap.size()));
        }
    }

    private void requireSize(Path path, PictureSize was, PictureSize becomes) {
        if (becomes.height() != shape.size(1) || becomes.width() != shape.size(2)) {
            throw new InvalidJobException(
                    "%s has %s pixels and becomes %s, others become %d x %d (width x height); all must become the same: write into the job's dataset a size for both sides, such as \"resize\": [%d, %d] (height, width)"
                            .formatted(path, was, becomes, shape.size(2), shape.size(1), shape.size(1), shape.size(2)));
        }
    }

    /// The samples that were read, one behind another.
    private Split withoutBroken() {
        long sample = shape.elements();
        int[] labels = new int[part.images().size() - broken.size()];
        int kept = 0;
        for (int i = 0; i < part.images().size(); i++) {
            if (broken.containsKey(i)) {
                continue;
            }
            if (kept < i) {
                MemorySegment.copy(memory, i * sample, memory, kept * sample, sample);
            }
            labels[kept++] = part.images().get(i).label();
        }
        return new Split(
                new Samples.Pixels(memory.asSlice(0, kept * sample).asReadOnly()), new Targets.ClassLabels(labels));
    }
}
