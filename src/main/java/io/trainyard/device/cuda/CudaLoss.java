package io.trainyard.device.cuda;

import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.LossSpec;
import jcuda.Pointer;
import org.jspecify.annotations.Nullable;

/// What the kernels of `loss.cu` are told of the loss.
final class CudaLoss {
    private final LossSpec.CrossEntropy loss;
    private final float[] weights; // (classes)
    private final @Nullable Buffer classWeights;

    CudaLoss(Workload workload, Arena arena) {
        loss = switch (workload.loss()) {
            case LossSpec.CrossEntropy crossEntropy -> crossEntropy;
            case LossSpec.MeanSquaredError _ ->
                throw new IllegalArgumentException("there is no kernel for the mean squared error");
        };
        weights = loss.weights(workload.network().classes());
        classWeights = loss.classWeights() == null
                ? null
                : arena.reserve((long) weights.length * Float.BYTES, "the classes' weights");
    }

    /// (classes); null where all are 1.
    @Nullable
    Buffer classWeights() {
        return classWeights;
    }

    float smoothing() {
        return (float) loss.labelSmoothing();
    }

    float sumOfWeights() {
        double sum = 0;
        for (float weight : weights) {
            sum += weight;
        }
        return (float) sum;
    }

    void upload() {
        if (classWeights != null) {
            classWeights.write(Pointer.to(weights));
        }
    }
}
