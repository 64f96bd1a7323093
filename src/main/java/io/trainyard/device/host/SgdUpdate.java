package io.trainyard.device.host;

import io.trainyard.spec.OptimizerSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// The update rule of `torch.optim.SGD`, in float32 with its fused multiplications: d = g + weightDecay p;
/// v = momentum v + d; p -= learningRate v. Without momentum v is d.
///
/// Runs over the padding of blocked layouts too: there all is zero, and stays so.
public final class SgdUpdate {
    private final float minusLearningRate;
    private final float momentum;
    private final float weightDecay;

    public SgdUpdate(OptimizerSpec.Sgd spec) {
        minusLearningRate = (float) -spec.learningRate();
        momentum = (float) spec.momentum();
        weightDecay = (float) spec.weightDecay();
    }

    /// Takes one step.
    ///
    /// @param values float32, as all three; the parameter
    /// @param gradient in the same places
    /// @param buffer its momentum buffer; null without momentum
    public void update(MemorySegment values, MemorySegment gradient, @Nullable MemorySegment buffer) {
        long floats = values.byteSize() / Float.BYTES;
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
