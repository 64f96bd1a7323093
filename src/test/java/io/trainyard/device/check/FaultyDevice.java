package io.trainyard.device.check;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.Workload;
import io.trainyard.spec.Precision;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;

/// The reference with faults.
///
/// @param weights changes the first value of each tensor that a session saves
/// @param losses changes each loss
/// @param leakBytes memory that each session leaks
final class FaultyDevice implements Device {
    private final Device reference = ReferenceComparison.reference();
    private final DoubleUnaryOperator weights;
    private final DoubleUnaryOperator losses;
    private final long leakBytes;
    private long usedBytes;

    FaultyDevice(DoubleUnaryOperator weights, DoubleUnaryOperator losses, long leakBytes) {
        this.weights = weights;
        this.losses = losses;
        this.leakBytes = leakBytes;
    }

    static FaultyDevice none() {
        return new FaultyDevice(w -> w, l -> l, 0);
    }

    @Override
    public DeviceInfo info() {
        return reference.info();
    }

    @Override
    public Set<Precision> precisions() {
        return Set.of(Precision.values());
    }

    @Override
    public OptionalLong usedMemoryBytes() {
        return OptionalLong.of(usedBytes);
    }

    @Override
    public LearningSession open(Workload workload) {
        usedBytes += workload.estimatedBytes();
        return new Session(
                reference.open(workload.withPrecision(Precision.FP32)), leakBytes - workload.estimatedBytes());
    }

    private final class Session implements LearningSession {
        private final LearningSession session;
        private final long givenBack;

        Session(LearningSession session, long givenBack) {
            this.session = session;
            this.givenBack = givenBack;
        }

        @Override
        public int threads() {
            return session.threads();
        }

        @Override
        public void load(SessionState state) {
            session.load(state);
        }

        @Override
        public SessionState save() {
            SessionState state = session.save();
            Map<String, Tensor> tensors = new LinkedHashMap<>();
            state.model().tensors().forEach((name, tensor) -> tensors.put(name, faulty(tensor)));
            return new SessionState(new Parameters(tensors), state.optimizer());
        }

        private Tensor faulty(Tensor tensor) {
            return switch (tensor) {
                case Tensor.Longs longs -> longs;
                case Tensor.Floats floats -> {
                    float[] values = floats.values().clone();
                    values[0] = (float) weights.applyAsDouble(values[0]);
                    yield new Tensor.Floats(floats.shape(), values);
                }
            };
        }

        @Override
        public void beginEpoch(EpochPlan plan, int firstStep) {
            session.beginEpoch(plan, firstStep);
        }

        @Override
        public float[] advance(int steps) {
            float[] faulty = session.advance(steps);
            for (int i = 0; i < faulty.length; i++) {
                faulty[i] = (float) losses.applyAsDouble(faulty[i]);
            }
            return faulty;
        }

        @Override
        public Evaluation evaluate() {
            return session.evaluate();
        }

        @Override
        public float[] predict() {
            return session.predict();
        }

        @Override
        public void close() {
            session.close();
            usedBytes += givenBack;
        }
    }
}
