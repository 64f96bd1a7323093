package io.trainyard.device.cuda;

import io.trainyard.data.Dataset;
import io.trainyard.data.Targets;
import io.trainyard.device.Evaluation;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.layer.BatchTensor;
import io.trainyard.device.cuda.layer.Compilation;
import io.trainyard.spec.LossSpec;
import jcuda.Pointer;
import org.jspecify.annotations.Nullable;

/// The kernels of `loss.cu` for the workload's loss, and their results for the test samples.
interface CudaLoss {
    /// Threads for each sample in kernels that read outputs.
    long THREADS_OF_ROW = 32;

    static CudaLoss of(Workload workload, Arena arena) {
        return switch (workload.loss()) {
            case LossSpec.CrossEntropy loss -> new CudaCrossEntropy(loss, workload, arena);
            case LossSpec.MeanSquaredError _ -> new CudaSquaredError(workload, arena);
        };
    }

    static Buffer reserveTargets(Dataset.Split split, Arena arena, String what) {
        return switch (split.targets()) {
            case Targets.ClassLabels(int[] labels) -> arena.reserve((long) labels.length * Integer.BYTES, what);
            case Targets.Numbers numbers -> arena.reserve((long) numbers.values().length * Float.BYTES, what);
        };
    }

    static void upload(Dataset.Split split, Buffer targets) {
        targets.write(
                switch (split.targets()) {
                    case Targets.ClassLabels(int[] labels) -> Pointer.to(labels);
                    case Targets.Numbers numbers -> Pointer.to(numbers.values());
                });
    }

    void upload();

    /// The class weights, (classes); null if all are equal, or without classes.
    @Nullable
    Buffer classWeights();

    /// Enqueues the losses of a training batch's samples, and the gradient of its mean loss by the outputs, which
    /// overwrites them if they have no gradient buffer.
    ///
    /// @param batchSize of a full batch
    void differentiate(Compilation c, BatchTensor outputs, TrainingData data, Buffer sampleLosses, int batchSize);

    /// Enqueues the losses and metrics of a test batch's samples.
    ///
    /// @param batchSize of a full test batch
    void test(Compilation c, BatchTensor outputs, TestData data, int batchSize);

    /// Enqueues the predictions for a test batch.
    ///
    /// @param predictions (samples, outputs)
    void predict(Compilation c, BatchTensor outputs, Buffer predictions);

    void beginTest();

    Evaluation evaluation(Workload workload);
}
