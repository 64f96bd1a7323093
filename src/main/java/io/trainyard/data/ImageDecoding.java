package io.trainyard.data;

import io.trainyard.data.ImageFolder.Image;
import io.trainyard.data.ImageParts.Part;
import io.trainyard.data.image.BrokenImageException;
import io.trainyard.data.image.DecodedImage;
import io.trainyard.data.image.ImageDecoder;
import io.trainyard.data.image.ImageFile;
import io.trainyard.data.image.ImageSize;
import java.io.IOException;
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

/// Decodes the images of one part of an image folder, on all CPUs, within a share of Java's heap.
final class ImageDecoding {
    /// No picture within the limits takes nearly as long.
    private static final long STUCK_NANOS = 300_000_000_000L;

    private final Part part;
    private final ImageConsumer taker;
    private final DecodingMemory heap = new DecodingMemory(Runtime.getRuntime().maxMemory());
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final SortedMap<Integer, String> broken = new ConcurrentSkipListMap<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /// Receives pictures, each once, from several threads.
    interface ImageConsumer {
        /// Called before a picture is decoded.
        ///
        /// @throws BrokenPictureException to handle the file as broken
        void expect(Path path, ImageSize size);

        void take(int index, DecodedImage picture);
    }

    ImageDecoding(Part part, ImageConsumer taker) {
        this.part = part;
        this.taker = taker;
    }

    /// @return name and reason of each unreadable image, by index
    /// @throws DatasetException if a file cannot be read at all
    SortedMap<Integer, String> read() {
        List<Thread> threads = new ArrayList<>();
        int most = Math.min(
                Runtime.getRuntime().availableProcessors(), part.images().size());
        for (int i = 0; i < most; i++) {
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
        return broken;
    }

    /// Waits for all threads. They end soon after an interrupt or a failure.
    private void await(List<Thread> threads) {
        ProgressLog log =
                new ProgressLog("read", "images in %s".formatted(part.folder().path()));
        long moved = System.nanoTime();
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
                    log.at(read, part.images().size());
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
        return new DatasetException("%s: nothing was read for %d seconds, after %d of %d images; check the disk"
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
        } catch (RuntimeException | Error | InterruptedException e) { // otherwise the image would stay black
            failure.compareAndSet(null, e);
        }
    }

    private void readOne(int index) throws InterruptedException {
        Image image = part.images().get(index);
        Path path = part.folder().path(image);
        try {
            long bytes = Math.min(Files.size(path), ImageDecoder.MAX_FILE_BYTES);
            long needs = decode(index, path, 2 * bytes); // the file, and the decoder's copy
            if (needs > 0) {
                needs = decode(index, path, needs);
            }
        } catch (BrokenImageException e) {
            broken.put(index, "%s: %s".formatted(image.file(), e.getMessage()));
        } catch (IOException e) {
            throw DataFiles.unreadable(path, e);
        }
    }

    /// Decodes a picture if the heap budget allows it.
    ///
    /// @param waitBytes bytes to wait for
    /// @return 0, or the bytes needed if they are not available
    private long decode(int index, Path path, long waitBytes) throws InterruptedException, IOException {
        requireMemory(path, waitBytes);
        heap.take(waitBytes);
        long reserved = waitBytes;
        try {
            ImageFile file = ImageDecoder.open(ImageDecoder.bytes(path));
            long needs = 2 * Files.size(path)
                    + (long) file.bytesPerPixel() * file.size().pixels();
            requireMemory(path, needs);
            if (!heap.takeMore(waitBytes, needs)) {
                return needs;
            }
            reserved = Math.max(waitBytes, needs);
            taker.expect(path, file.size());
            taker.take(index, file.decode());
            return 0;
        } finally {
            heap.release(reserved);
        }
    }

    private void requireMemory(Path path, long bytes) {
        if (!heap.has(bytes)) {
            throw new DatasetException(
                    "%s takes %d MiB to decode, and half of the Java heap is %d MiB; make the picture smaller, or give Java more with -Xmx"
                            .formatted(path, bytes >> 20, heap.size()));
        }
    }
}
