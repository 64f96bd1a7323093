package io.trainyard.data;

import io.trainyard.data.ImageParts.Part;
import io.trainyard.data.image.DecodedImage;
import io.trainyard.data.image.ImageSize;
import io.trainyard.data.image.ImageTransform;
import io.trainyard.spec.DatasetSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Inspects the images of a folder, decoded and transformed as in a job, in parallel on all CPUs.
final class ImageInspector {
    private static final int MAX_LISTED = 5;

    private final DataFolder folder;
    private final ImageFolderManifest manifest;
    private final DatasetSpec how;
    private final List<String> odd;
    private final ImageTransform transform;
    private final Map<ImageSize, Integer> sizes = new ConcurrentHashMap<>();
    private final Map<ImageSize, Integer> shapes = new ConcurrentHashMap<>();

    ImageInspector(DataFolder folder, ImageFolderManifest manifest, DatasetSpec how, List<String> odd) {
        this.folder = folder;
        this.manifest = manifest;
        this.how = how;
        this.odd = odd;
        this.transform = ImageFolderManifest.transform(how);
    }

    Inspector.Statistics statistics() {
        ImageParts.Listed parts = manifest.parts(folder, how).list();
        int train = parts.train().images().size();
        int all = train + parts.test().images().size();
        @Nullable
        DuplicateSamples equal = all <= DuplicateSamples.MOST_SAMPLES ? new DuplicateSamples(train, all) : null;
        ChannelStatistics channels = ChannelStatistics.ofBytes(transform.channels());
        int[] labels = new int[all];
        read(parts.train(), 0, labels, channels, equal);
        read(parts.test(), train, labels, null, equal);
        Part validation = parts.validation();
        int[] validationLabels =
                new int[validation == null ? 0 : validation.images().size()];
        if (validation != null) {
            read(validation, 0, validationLabels, null, null);
        }
        List<String> names = parts.train().folder().classes();
        return new Inspector.Statistics(
                shape(),
                "uint8",
                names,
                size(labels, 0, train),
                validation == null ? null : size(validationLabels, 0, validationLabels.length),
                size(labels, train, all),
                counts(labels, 0, train, names.size()),
                counts(validationLabels, 0, validationLabels.length, names.size()),
                counts(labels, train, all, names.size()),
                channels,
                imageSizes(),
                equal == null ? null : equal.find(labels, number -> name(parts, number, train)));
    }

    private static String name(ImageParts.Listed parts, int number, int train) {
        Part part = number < train ? parts.train() : parts.test();
        return part.folder().name()
                + "/"
                + part.images().get(number < train ? number : number - train).file();
    }

    private static int size(int[] labels, int from, int to) {
        return (int) IntStream.range(from, to).filter(i -> labels[i] >= 0).count();
    }

    private static int[] counts(int[] labels, int from, int to, int classes) {
        int[] counts = new int[classes];
        IntStream.range(from, to).filter(i -> labels[i] >= 0).forEach(i -> counts[labels[i]]++);
        return counts;
    }

    /// @param labels filled in from `first` on; -1 for broken images
    private void read(
            Part part,
            int first,
            int[] labels,
            @Nullable ChannelStatistics channels,
            @Nullable DuplicateSamples equal) {
        for (int i = 0; i < part.images().size(); i++) {
            labels[first + i] = part.images().get(i).label();
        }
        SortedMap<Integer, String> broken = new ImageDecoding(part, new ImageDecoding.ImageConsumer() {
                    @Override
                    public void expect(Path path, ImageSize size) {
                        shapes.merge(transform.sizeOf(size), 1, Integer::sum);
                        sizes.merge(size, 1, Integer::sum);
                    }

                    @Override
                    public void take(int index, DecodedImage picture) {
                        DecodedImage sample = transform.apply(picture);
                        if (channels != null) {
                            channels.add(sample);
                        }
                        if (equal != null) {
                            equal.put(first + index, withSize(sample));
                        }
                    }
                })
                .read();
        broken.keySet().forEach(index -> labels[first + index] = -1);
        broken.values().stream().limit(MAX_LISTED).forEach(reason -> odd.add("cannot be read: " + reason));
        if (broken.size() > MAX_LISTED) {
            odd.add("%d more files in %s cannot be read".formatted(broken.size() - MAX_LISTED, part.name()));
        }
    }

    /// Includes the size in the hash, because equal bytes of another size are another image.
    private static MemorySegment withSize(DecodedImage picture) {
        byte[] pixels = picture.pixels();
        MemorySegment bytes = MemorySegment.ofArray(new byte[pixels.length + 2 * Integer.BYTES]);
        MemorySegment.copy(pixels, 0, bytes, ValueLayout.JAVA_BYTE, 2 * Integer.BYTES, pixels.length);
        bytes.set(ValueLayout.JAVA_INT_UNALIGNED, 0, picture.size().width());
        bytes.set(ValueLayout.JAVA_INT_UNALIGNED, Integer.BYTES, picture.size().height());
        return bytes;
    }

    private @Nullable List<Integer> shape() {
        if (shapes.size() != 1) {
            odd.add(
                    "the images have %d sizes: jobs must set one, such as \"resize\": [32, 32]; the channel statistics are of all pixels, and so are duplicates"
                            .formatted(shapes.size()));
            return null; // no common shape
        }
        ImageSize size = shapes.keySet().iterator().next();
        return List.of(transform.channels(), size.height(), size.width());
    }

    private Inspection.@Nullable ImageSizes imageSizes() {
        if (sizes.isEmpty()) {
            return null; // no image could be read
        }
        Map<ImageSize, Integer> counts = new HashMap<>(sizes);
        Comparator<ImageSize> bySize =
                Comparator.comparingInt(ImageSize::pixels).thenComparing(ImageSize::width);
        ImageSize usual = counts.keySet().stream()
                .max(Comparator.comparing((ImageSize size) -> counts.getOrDefault(size, 0))
                        .thenComparing(bySize))
                .orElseThrow();
        return new Inspection.ImageSizes(
                counts.size(),
                counts.keySet().stream().min(bySize).orElseThrow().toString(),
                counts.keySet().stream().max(bySize).orElseThrow().toString(),
                usual.toString());
    }
}
