package io.trainyard.device.cuda;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.SampleWeights;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.layer.Masks;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import jcuda.Pointer;
import org.jspecify.annotations.Nullable;

/// The training part of the dataset on the device. Targets and the epoch's order are always resident. Images are
/// too if there is enough memory; otherwise they are sent ahead of the steps, like augmentation and masks.
final class TrainingData {
    /// Values of a sample's augmentation, each a `short`: the components of [Change] in order.
    private static final int CHANGE_VALUES = 7;

    private final Workload workload;
    private final Masks masks;
    private final BatchGather gathering;
    private final List<Section> sections = new ArrayList<>();
    private final @Nullable StepFeed feed;
    private final Buffer table;
    private final Buffer targets;
    private final Buffer order;
    private final Buffer batchWeights;
    private final Buffer imageOrder; // index in `images` for each position of the epoch
    private final Buffer images;
    private final @Nullable Buffer changes;

    private enum Section {
        CHANGES,
        MASKS,
        IMAGES
    }

    TrainingData(Workload workload, Masks masks, boolean resident, Gpu gpu, Arena arena) {
        this.workload = workload;
        this.masks = masks;
        Dataset.Split train = workload.dataset().train();
        gathering = BatchGather.of(workload);
        table = arena.reserve((long) gathering.table().length * Float.BYTES, "what samples become");
        targets = CudaLoss.reserveTargets(train, arena, "the training targets");
        order = arena.reserve((long) train.size() * Integer.BYTES, "the epoch's order");
        batchWeights = arena.reserve((long) workload.stepsPerEpoch() * Float.BYTES, "the batches' weights");
        if (!workload.augment().isNone()) {
            sections.add(Section.CHANGES);
        }
        if (masks.stride() > 0) {
            sections.add(Section.MASKS);
        }
        if (!resident) {
            sections.add(Section.IMAGES);
        }
        feed = sections.isEmpty()
                ? null
                : new StepFeed(
                        gpu,
                        arena,
                        "prefetched batches",
                        sections.stream().mapToLong(this::stride).toArray());
        changes = sections.contains(Section.CHANGES) ? ring(Section.CHANGES) : null;
        if (sections.contains(Section.MASKS)) {
            masks.place(ring(Section.MASKS), window());
        }
        images = resident
                ? arena.reserve(train.samples().memory().byteSize(), "the training images")
                : ring(Section.IMAGES);
        imageOrder = resident
                ? order
                : arena.reserve((long) train.size() * Integer.BYTES, "where the images are that are sent ahead");
    }

    private Buffer ring(Section section) {
        return Objects.requireNonNull(feed).ring(sections.indexOf(section));
    }

    private long stride(Section section) {
        return switch (section) {
            case CHANGES -> (long) workload.batchSize() * CHANGE_VALUES * Short.BYTES;
            case MASKS -> masks.stride();
            case IMAGES -> workload.batchSize() * imageBytes();
        };
    }

    private long imageBytes() {
        return workload.dataset().sampleBytes();
    }

    String kernel() {
        return gathering.kernel();
    }

    Buffer table() {
        return table;
    }

    Buffer images() {
        return images;
    }

    Buffer imageOrder() {
        return imageOrder;
    }

    Buffer targets() {
        return targets;
    }

    Buffer order() {
        return order;
    }

    /// The divisor of the losses of each of the epoch's steps.
    Buffer batchWeights() {
        return batchWeights;
    }

    /// (window, batch size, 7); null without augmentation.
    @Nullable
    Buffer changes() {
        return changes;
    }

    int window() {
        return feed == null ? 1 : feed.window();
    }

    int blockSteps() {
        return feed == null ? Integer.MAX_VALUE : feed.blockSteps();
    }

    void upload() {
        Dataset.Split train = workload.dataset().train();
        table.write(Pointer.to(gathering.table()));
        CudaLoss.upload(train, targets);
        if (sections.contains(Section.IMAGES)) {
            int ring = window() * workload.batchSize();
            int[] places = new int[train.size()];
            for (int i = 0; i < places.length; i++) {
                places[i] = i % ring;
            }
            imageOrder.write(Pointer.to(places));
        } else {
            images.write(train.samples().memory());
        }
    }

    void begin(EpochPlan plan) {
        order.write(Pointer.to(plan.order()));
        SampleWeights ofSamples = workload.sampleWeights();
        float[] weights = new float[workload.stepsPerEpoch()];
        for (int step = 0; step < weights.length; step++) {
            weights[step] = (float) ofSamples.sum(
                    workload.dataset().train(), plan.order(), workload.firstSample(step), workload.samples(step));
        }
        batchWeights.write(Pointer.to(weights));
    }

    /// Draws and sends the data of the next steps.
    ///
    /// @param steps at most [#blockSteps]
    void send(EpochPlan plan, int firstStep, int steps) {
        if (feed != null) {
            feed.send(firstStep, steps, (step, section, target) -> write(plan, step, sections.get(section), target));
        }
    }

    /// Called after the steps last sent have been enqueued.
    void given() {
        if (feed != null) {
            feed.given();
        }
    }

    private void write(EpochPlan plan, int step, Section section, ByteBuffer target) {
        int from = workload.firstSample(step);
        int samples = workload.samples(step);
        switch (section) {
            case CHANGES ->
                workload.augmentation().draw(plan.random(), samples).forEach(change -> write(change, target));
            case MASKS -> masks.draw(plan.random(), samples, target);
            case IMAGES -> {
                MemorySegment images = workload.dataset().train().samples().memory();
                MemorySegment sent = MemorySegment.ofBuffer(target);
                long bytes = imageBytes();
                for (int n = 0; n < samples; n++) {
                    MemorySegment.copy(images, plan.order()[from + n] * bytes, sent, n * bytes, bytes);
                }
            }
        }
    }

    private static void write(Change change, ByteBuffer target) {
        target.putShort((short) change.down())
                .putShort((short) change.right())
                .putShort((short) (change.flipped() ? 1 : 0))
                .putShort((short) change.cutTop())
                .putShort((short) change.cutBottom())
                .putShort((short) change.cutLeft())
                .putShort((short) change.cutRight());
    }
}
