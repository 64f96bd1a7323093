package io.trainyard.device.cuda;

import io.trainyard.data.Dataset;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import java.lang.foreign.MemorySegment;
import jcuda.Pointer;
import org.jspecify.annotations.Nullable;

/// The test part of the dataset on the device. Its images are resident, or sent ahead of the test batches.
final class TestData {
    private final Dataset dataset;
    private final int batchSize;
    private final String kernel;
    private final @Nullable StepFeed feed;
    private final Buffer targets;
    private final Buffer images;
    private final @Nullable Buffer imageOrder;

    TestData(Workload workload, int batchSize, boolean resident, Gpu gpu, Arena arena) {
        this.dataset = workload.dataset();
        this.kernel = BatchGather.of(workload).kernel();
        this.batchSize = batchSize;
        int tests = dataset.test().size();
        targets = CudaLoss.reserveTargets(dataset.test(), arena, "the test targets");
        if (resident) {
            feed = null;
            images = arena.reserve(dataset.test().samples().memory().byteSize(), "the test images");
            imageOrder = null;
        } else {
            feed = new StepFeed(gpu, arena, "the test images sent ahead", batchSize * dataset.sampleBytes());
            images = feed.ring(0);
            imageOrder = arena.reserve((long) tests * Integer.BYTES, "where the test images are that are sent ahead");
        }
    }

    String kernel() {
        return kernel;
    }

    /// A class, or numbers, for each sample.
    Buffer targets() {
        return targets;
    }

    Buffer images() {
        return images;
    }

    /// The index in [#images] of each test sample; null for the identity.
    @Nullable
    Buffer imageOrder() {
        return imageOrder;
    }

    int blockBatches() {
        return feed == null ? Integer.MAX_VALUE : feed.blockSteps();
    }

    void upload() {
        CudaLoss.upload(dataset.test(), targets);
        if (feed == null || imageOrder == null) {
            images.write(dataset.test().samples().memory());
        } else {
            int[] places = new int[dataset.test().size()];
            for (int i = 0; i < places.length; i++) {
                places[i] = i % (feed.window() * batchSize);
            }
            imageOrder.write(Pointer.to(places));
        }
    }

    void send(int firstBatch, int batches) {
        if (feed != null) {
            feed.send(firstBatch, batches, (batch, _, target) -> {
                int from = batch * batchSize;
                int samples = Math.min(batchSize, dataset.test().size() - from);
                long bytes = dataset.sampleBytes();
                MemorySegment.ofBuffer(target)
                        .copyFrom(dataset.test().samples().memory().asSlice(from * bytes, samples * bytes));
            });
        }
    }

    /// Called after the batches last sent have been enqueued.
    void given() {
        if (feed != null) {
            feed.given();
        }
    }
}
