package io.trainyard.device.vector;

import io.trainyard.data.Dataset;
import io.trainyard.device.LearningSession;
import io.trainyard.device.StackedSteps;
import io.trainyard.device.Workload;
import io.trainyard.device.host.BatchAssembler;
import io.trainyard.device.host.BatchLoss;
import io.trainyard.device.host.ParameterUpdate.Loop;
import io.trainyard.device.vector.LaneLayer.Chunk;
import io.trainyard.device.vector.VectorSession.Batch;
import io.trainyard.device.vector.VectorSession.NextUpdate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Steps of [VectorSession]s of one thread, a lane of every vector each. What draws, counts and keeps losses is each
/// session's own; here are the parameters while they are trained.
final class VectorStack implements StackedSteps {
    private final Dataset.Split split;
    private final int batchSize;
    private final int chunk;
    private final int classes;
    private final LaneUpdate update;
    private final @Nullable LaneLoop loop; // null: it is plain
    private final LaneModel model;
    private final LaneChain chain;
    private final BatchAssembler assembler;
    private final BatchLoss loss;
    private final float[] rows; // (chunk, classes) of one lane
    private final float[][] samples = new float[Lanes.COUNT][]; // one of each lane
    private final @Nullable VectorSession[] held = new VectorSession[Lanes.COUNT]; // whose state is here
    private final @Nullable VectorSession[] present = new VectorSession[Lanes.COUNT]; // who trains
    private final @Nullable Batch[] batches = new Batch[Lanes.COUNT];
    private final @Nullable RuntimeException[] failures = new RuntimeException[Lanes.COUNT];
    private final double[] sums = new double[Lanes.COUNT];

    VectorStack(Workload example) {
        split = example.dataset().train();
        batchSize = example.batchSize();
        chunk = VectorSession.chunk(example.network(), batchSize);
        classes = example.network().classes();
        update = LaneUpdate.of(Loop.of(example.optimizer()));
        FlatModel places = new FlatModel(example.network(), example.update());
        loop = example.loop().isPlain() ? null : new LaneLoop(example.update());
        model = new LaneModel(places, update, loop != null);
        chain = new LaneChain(example.network(), places, model, present, chunk);
        assembler = new BatchAssembler(example.dataset(), example.scale());
        loss = BatchLoss.of(example);
        rows = new float[chunk * classes];
        for (int lane = 0; lane < Lanes.COUNT; lane++) {
            samples[lane] = new float[example.dataset().shape().elements()];
        }
    }

    @Override
    public List<@Nullable Trained> advance(List<? extends @Nullable LearningSession> sessions, int steps) {
        for (int lane = 0; lane < Lanes.COUNT; lane++) {
            failures[lane] = null;
            present[lane] = (VectorSession) sessions.get(lane);
            attempt(lane, (session, own) -> {
                session.beginSteps(steps);
                if (!session.equals(held[own])) {
                    model.put(session.model(), own);
                    held[own] = session;
                }
            });
        }
        for (int step = 0; step < steps; step++) {
            step();
        }
        List<@Nullable Trained> trained = new ArrayList<>();
        for (int lane = 0; lane < Lanes.COUNT; lane++) {
            VectorSession session = present[lane];
            RuntimeException failure = failures[lane];
            trained.add(
                    failure != null
                            ? new Trained.Failed(failure)
                            : session == null ? null : new Trained.Steps(session.lossesSoFar()));
        }
        return trained;
    }

    private interface Work {
        void run(VectorSession session, int lane);
    }

    /// What fails in one lane ends the steps of that lane alone.
    @SuppressWarnings("IllegalCatch") // told to whom it concerns
    private void attempt(int lane, Work work) {
        VectorSession session = present[lane];
        if (session != null) {
            try {
                work.run(session, lane);
            } catch (RuntimeException e) {
                failures[lane] = e;
                present[lane] = null;
                rest(lane);
            }
        }
    }

    private void rest(int lane) {
        update.rest(lane);
        if (loop != null) {
            loop.rest(lane);
        }
    }

    private void set(int lane, NextUpdate next) {
        if (next.updates()) {
            update.set(lane, next.rule());
        }
        if (loop != null) {
            loop.set(lane, next.loop(), next.updates(), next.count());
        }
    }

    private void each(Work work) {
        for (int lane = 0; lane < Lanes.COUNT; lane++) {
            attempt(lane, work);
        }
    }

    private void step() {
        update.rest();
        if (loop != null) {
            loop.rest();
        }
        each((session, lane) -> {
            batches[lane] = session.beginBatch();
            sums[lane] = 0;
            set(lane, session.nextUpdate());
        });
        for (int from = 0; from < batchSize; from += chunk) {
            Chunk part = new Chunk(from, Math.min(chunk, batchSize - from), batchSize);
            assemble(part);
            chain.forward(from, part.samples());
            each((_, lane) -> sums[lane] += loss(lane, part));
            chain.backward(part);
        }
        if (loop != null) {
            model.step(loop, this::clipCoefficient);
        }
        each((session, lane) -> session.endBatch(sums[lane]));
    }

    private float clipCoefficient(int lane, double squares) {
        VectorSession session = present[lane];
        return session == null ? 1 : session.clipCoefficient(squares);
    }

    private Batch batch(int lane) {
        Batch batch = batches[lane];
        if (batch == null) {
            throw new IllegalStateException("lane %d has no batch".formatted(lane));
        }
        return batch;
    }

    private void assemble(Chunk part) {
        LaneValues input = chain.input();
        for (int s = 0; s < part.samples(); s++) {
            int sample = part.from() + s;
            each((_, lane) -> {
                Batch batch = batch(lane);
                var change = batch.changes().isEmpty() ? null : batch.changes().get(sample);
                assembler.assemble(split, batch.order()[batch.from() + sample], change, samples[lane], 0);
            });
            Lanes.interleave(samples, input.data(), s * input.stride());
        }
    }

    /// Puts the gradient by a lane's outputs in its place.
    ///
    /// @return the sum of its samples' losses
    private double loss(int lane, Chunk part) {
        LaneValues outputs = chain.output();
        Batch batch = batch(lane);
        for (int i = 0; i < part.samples() * classes; i++) {
            rows[i] = outputs.data()[i * Lanes.COUNT + lane];
        }
        double sum = loss.lossWithGradient(
                rows, split, batch.order(), batch.from() + part.from(), part.samples(), batch.weight());
        for (int i = 0; i < part.samples() * classes; i++) {
            outputs.gradient()[i * Lanes.COUNT + lane] = rows[i];
        }
        return sum;
    }

    @Override
    public void release(int place) {
        VectorSession session = held[place];
        if (session != null) {
            model.take(session.model(), place);
            held[place] = null;
        }
    }

    /// It has nothing but memory of the heap.
    @Override
    public void close() {}
}
