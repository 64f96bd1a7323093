package io.trainyard.device.onednn;

import io.trainyard.spec.OptimizerSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// The update rule of `torch.optim.SGD`, in float32 with its fused multiplications: d = g + weightDecay p;
/// v = momentum v + d; p -= learningRate v. Without momentum v is d.
///
/// Runs over the padding of blocked layouts too: there all is zero, and stays so.
final class SgdUpdate {
    private final float minusLearningRate;
    private final float momentum;
    private final float weightDecay;

    SgdUpdate(OptimizerSpec.Sgd spec) {
        minusLearningRate = (float) -spec.learningRate();
        momentum = (float) spec.momentum();
        weightDecay = (float) spec.weightDecay();
    }

    void update(Slot slot) {
        MemorySegment gradient = slot.requireGradient().data();
        Memory buffer = slot.momentum();
        update(
                slot.value().data(),
                gradient,
                buffer == null ? null : buffer.data(),
                slot.value().floats());
    }

    private void update(MemorySegment values, MemorySegment gradient, @Nullable MemorySegment buffer, long floats) {
        for (long i = 0; i < floats; i++) {
            float p = values.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            float d = Math.fma(weightDecay, p, gradient.getAtIndex(ValueLayout.JAVA_FLOAT, i));
            if (buffer != null) {
                d += momentum * buffer.getAtIndex(ValueLayout.JAVA_FLOAT, i);
                buffer.setAtIndex(ValueLayout.JAVA_FLOAT, i, d);
            }
            values.setAtIndex(ValueLayout.JAVA_FLOAT, i, Math.fma(minusLearningRate, d, p));
        }
    }
}
