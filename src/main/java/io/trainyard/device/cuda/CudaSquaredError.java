package io.trainyard.device.cuda;

import io.trainyard.device.Evaluation;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.layer.BatchTensor;
import io.trainyard.device.cuda.layer.Compilation;
import java.util.Objects;
import jcuda.Pointer;
import org.jspecify.annotations.Nullable;

/// The mean squared error of predicted numbers.
final class CudaSquaredError implements CudaLoss {
    private final int width; // numbers of a sample
    private final Buffer testLosses; // of all test samples
    private final Buffer absoluteErrors; // of all test samples

    CudaSquaredError(Workload workload, Arena arena) {
        width = workload.network().classes();
        long tests = workload.dataset().test().size();
        testLosses = arena.reserve(tests * Float.BYTES, "the test samples' losses");
        absoluteErrors = arena.reserve(tests * Float.BYTES, "the test samples' absolute errors");
    }

    @Override
    public void upload() {}

    @Override
    public @Nullable Buffer classWeights() {
        return null; // no classes
    }

    @Override
    public void differentiate(
            Compilation c, BatchTensor outputs, TrainingData data, Buffer sampleLosses, int batchSize) {
        c.kernels()
                .launch(
                        "squared_errors",
                        THREADS_OF_ROW * outputs.samples(),
                        Objects.requireNonNullElse(outputs.gradient(), outputs.value()),
                        sampleLosses,
                        outputs.value(),
                        data.targets(),
                        data.order(),
                        c.step(),
                        data.batchWeights(),
                        batchSize,
                        c.part().first(),
                        outputs.samples(),
                        width);
    }

    @Override
    public void test(Compilation c, BatchTensor outputs, TestData data, int batchSize) {
        c.kernels()
                .launch(
                        "test_errors",
                        THREADS_OF_ROW * outputs.samples(),
                        testLosses,
                        absoluteErrors,
                        outputs.value(),
                        data.targets(),
                        c.step(),
                        batchSize,
                        outputs.samples(),
                        width);
    }

    @Override
    public void predict(Compilation c, BatchTensor outputs, Buffer predictions) {
        c.kernels().launch("predicted_numbers", outputs.elements(), predictions, outputs.value(), outputs.elements());
    }

    @Override
    public void beginTest() {}

    @Override
    public Evaluation evaluation(Workload workload) {
        int tests = workload.dataset().test().size();
        float[] losses = new float[tests];
        testLosses.read(Pointer.to(losses));
        float[] errors = new float[tests];
        absoluteErrors.read(Pointer.to(errors));
        return Evaluation.ofNumbers(workload, losses, errors);
    }
}
