package io.trainyard.device.parallel;

import io.trainyard.data.Dataset;
import io.trainyard.device.DeviceChoices;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.ShardDevice;
import io.trainyard.device.ShardRange;
import io.trainyard.device.ShardSession;
import io.trainyard.device.Workload;
import io.trainyard.device.host.ThreadTeam;
import io.trainyard.random.TorchRandom;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The parts of a session, each on its own thread. The first runs on the caller's thread, because some device state
/// (a CUDA context, oneDNN's threads) belongs to a thread.
///
/// The test samples are split at whole batches, one piece for each part, so losses and predictions equal those of
/// one device.
final class ParallelSession implements LearningSession {
    private final ShardSession[] parts;
    private final ThreadTeam team;
    private final int testing; // number of parts with test batches, which come first
    private final boolean gathers; // gradients before the update
    private final boolean averages; // of the parameters are tested
    private boolean closed;

    ParallelSession(List<ShardDevice> devices, Workload workload) {
        int count = devices.size();
        int testBatches = Math.ceilDiv(workload.dataset().test().size(), workload.batchSize());
        testing = Math.min(count, testBatches);
        gathers = workload.loop().maxNorm().isPresent();
        averages = workload.loop().average().isPresent();
        parts = new ShardSession[count];
        team = new ThreadTeam("trainyard-device", count);
        try {
            ShardSession first = open(devices, workload, 0, null);
            parts[0] = first;
            team.run(t -> {
                if (t > 0) {
                    parts[t] = open(devices, workload, t, first);
                }
            });
            team.run(t -> parts[t].join(List.of(parts), () -> team.barrier().await(t)));
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private ShardSession open(List<ShardDevice> devices, Workload workload, int t, @Nullable ShardSession first) {
        Workload own = t < testing ? workload.withDataset(tests(workload, new ShardRange(t, testing))) : workload;
        return devices.get(t).openPart(own, new ShardRange(t, devices.size()), first);
    }

    private static Dataset tests(Workload workload, ShardRange part) {
        int all = workload.dataset().test().size();
        int batches = Math.ceilDiv(all, workload.batchSize());
        int from = part.begin(batches) * workload.batchSize();
        int to = Math.min(all, part.end(batches) * workload.batchSize());
        return workload.dataset().withTests(from, to);
    }

    /// Calls `action` with the index of each part, on the part's thread.
    private void run(IntConsumer action) {
        requireOpen();
        team.run(action);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the session is closed; open another");
        }
    }

    @Override
    public int threads() {
        return Stream.of(parts).mapToInt(LearningSession::threads).sum();
    }

    /// Merged over all devices: devices of one kind choose the same for the same shapes.
    @Override
    public DeviceChoices choices() {
        return Stream.of(parts).map(LearningSession::choices).reduce(DeviceChoices.NONE, DeviceChoices::with);
    }

    @Override
    public void load(SessionState state) {
        run(t -> parts[t].load(state));
    }

    @Override
    public SessionState save() {
        requireOpen();
        return parts[0].save();
    }

    /// The first part draws from the plan's own generator, the others draw the same numbers from copies.
    @Override
    public void beginEpoch(EpochPlan plan, int firstStep) {
        long[] generator = plan.random().state();
        run(t -> {
            TorchRandom random = t == 0 ? plan.random() : TorchRandom.restore(generator);
            parts[t].beginEpoch(plan.withRandom(random), firstStep);
        });
    }

    @Override
    public float[] advance(int steps) {
        run(t -> parts[t].beginSteps(steps));
        for (int i = 0; i < steps; i++) {
            run(t -> parts[t].computeGradients());
            if (gathers) {
                run(t -> parts[t].gatherGradients());
            }
            run(t -> parts[t].update());
        }
        float[][] shares = new float[parts.length][];
        run(t -> shares[t] = parts[t].endSteps());
        float[] losses = new float[steps];
        for (int i = 0; i < steps; i++) {
            double loss = 0;
            for (float[] share : shares) {
                loss += share[i];
            }
            losses[i] = (float) loss;
        }
        return losses;
    }

    /// From the first device, because all assemble their parts of a batch concurrently.
    @Override
    public OptionalLong batchNanos() {
        return parts[0].batchNanos();
    }

    @Override
    public Evaluation evaluate() {
        Evaluation[] pieces = new Evaluation[testing];
        beginTests();
        run(t -> {
            if (t < testing) {
                pieces[t] = parts[t].evaluate();
            }
        });
        return Arrays.stream(pieces).reduce(Evaluation::plus).orElseThrow();
    }

    private void beginTests() {
        if (averages) {
            run(t -> parts[t].beginTests());
        }
    }

    @Override
    public float[] predict() {
        float[][] pieces = new float[testing][];
        beginTests();
        run(t -> {
            if (t < testing) {
                pieces[t] = parts[t].predict();
            }
        });
        float[] all =
                new float[Arrays.stream(pieces).mapToInt(piece -> piece.length).sum()];
        int next = 0;
        for (float[] piece : pieces) {
            System.arraycopy(piece, 0, all, next, piece.length);
            next += piece.length;
        }
        return all;
    }

    /// Closes each opened part on its own thread, after all have become idle.
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            team.run(t -> {
                if (parts[t] != null) {
                    parts[t].settle();
                }
            });
        } finally {
            closeParts();
        }
    }

    private void closeParts() {
        try {
            team.run(t -> {
                if (parts[t] != null) {
                    parts[t].close();
                }
            });
        } finally {
            team.close();
        }
    }
}
