package io.trainyard.device.cuda.layer;

import io.trainyard.device.ShardBarrier;
import io.trainyard.device.ShardRange;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Event;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Graph;
import io.trainyard.spec.Network;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The sums of batch norms, exchanged by the GPUs that share a batch. A GPU's graph ends when its own row is
/// complete; its stream waits for the other GPUs' events, copies their rows, and continues with the next graph. The
/// host threads synchronize first, because a stream can only wait for an event that has been recorded.
///
/// A row is not overwritten before the others have copied it: before a step every stream waits for the updates of
/// all others, which come after their copies.
public final class BatchNormExchange {
    private static final int SUMS = 2; // of a channel

    private final Gpu gpu;
    private final ShardRange part;
    private final Map<Place, Rows> rows = new LinkedHashMap<>();
    private List<BatchNormExchange> parts = List.of(this); // in order
    private ShardBarrier barrier = () -> {};
    private @Nullable Recording recording;

    /// @param layer its name
    /// @param backward whether it is the backward pass
    private record Place(String layer, boolean backward) {}

    /// A batch norm's sums in one pass.
    ///
    /// @param all (parts, 2, channels)
    /// @param own this part's row of them
    /// @param ready recorded when the own row is complete
    record Rows(Place place, Buffer all, Buffer own, Event ready) {}

    /// @param exchanged the rows after each piece so far
    /// @param cut ends a piece
    private record Recording(List<Rows> exchanged, Runnable cut) {}

    public BatchNormExchange(Network network, ShardRange part, Gpu gpu, Arena arena) {
        this.gpu = gpu;
        this.part = part;
        for (Network.Layer layer : network.wholeBatchLayers()) {
            for (boolean backward : layer.isDifferentiated() ? new boolean[] {false, true} : new boolean[] {false}) {
                Place place = new Place(layer.name(), backward);
                long row = (long) SUMS * layer.in().size(0) * Float.BYTES;
                Buffer all = arena.reserve(part.count() * row, "the sums of layer " + layer.name());
                Buffer own = all.slice(part.index() * row, row, "the own " + all);
                rows.put(place, new Rows(place, all, own, gpu.event()));
            }
        }
    }

    /// @param exchanges of all parts in order, including this one
    /// @param newBarrier barrier of the parts' threads
    public void join(List<BatchNormExchange> exchanges, ShardBarrier newBarrier) {
        parts = exchanges;
        barrier = newBarrier;
    }

    int parts() {
        return part.count();
    }

    Rows rows(Network.Layer layer, boolean backward) {
        return rows(new Place(layer.name(), backward));
    }

    private Rows rows(Place place) {
        return Objects.requireNonNull(rows.get(place));
    }

    /// Called by a layer between completing its own row and reading all rows; in each step once for the forward
    /// pass of each batch norm and for its backward pass, if any, on every part.
    void exchange(Rows of) {
        if (recording != null) {
            recording.exchanged().add(of);
            recording.cut().run();
        }
    }

    /// Records a step's gradients if there are several parts.
    ///
    /// @param batchSamples of all parts together
    /// @return enqueues the gradients and the exchanges between them
    public Runnable record(int batchSamples, Runnable gradients) {
        if (part.size(batchSamples) == 0) {
            Graph graph = gpu.capture(gradients);
            return () -> {
                exchangeWithoutSamples(batchSamples);
                graph.launch();
            };
        }
        List<Rows> exchanged = new ArrayList<>();
        List<Graph> pieces;
        try {
            pieces = gpu.captureInPieces(cut -> {
                recording = new Recording(exchanged, cut);
                gradients.run();
            });
        } finally {
            recording = null;
        }
        return () -> {
            for (int i = 0; i < exchanged.size(); i++) {
                pieces.get(i).launch();
                exchanged.get(i).ready().record(gpu.compute());
                barrier.await();
                takeOver(exchanged.get(i), batchSamples);
            }
            pieces.getLast().launch();
        };
    }

    /// Takes part in the same barriers as the other parts, and copies the rows of the forward pass for the running
    /// statistics.
    private void exchangeWithoutSamples(int batchSamples) {
        for (int i = 0; i < rows.size(); i++) {
            barrier.await();
        }
        rows.values().stream().filter(of -> !of.place().backward()).forEach(of -> takeOver(of, batchSamples));
    }

    /// Copies the rows of the parts with samples.
    private void takeOver(Rows own, int batchSamples) {
        long row = own.own().bytes();
        for (int i = 0; i < parts.size(); i++) {
            if (i != part.index() && new ShardRange(i, parts.size()).size(batchSamples) > 0) {
                Rows other = parts.get(i).rows(own.place());
                gpu.compute().await(other.ready());
                own.all().slice(i * row, row, "another's " + own.own()).copyFrom(other.own());
            }
        }
    }
}
