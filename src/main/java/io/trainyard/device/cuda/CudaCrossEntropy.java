package io.trainyard.device.cuda;

import io.trainyard.device.Evaluation;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.layer.BatchTensor;
import io.trainyard.device.cuda.layer.Compilation;
import io.trainyard.spec.LossSpec;
import java.util.Arrays;
import java.util.Objects;
import jcuda.Pointer;
import org.jspecify.annotations.Nullable;

final class CudaCrossEntropy implements CudaLoss {
    private final int classes;
    private final float smoothing;
    private final float[] weights; // (classes)
    private final @Nullable Buffer classWeights; // (classes); null if all are 1
    private final Buffer testLosses; // of all test samples
    private final Buffer confusion; // counts of all test samples by (true class, predicted class)
    private final Buffer zero; // an int that is 0

    CudaCrossEntropy(LossSpec.CrossEntropy loss, Workload workload, Arena arena) {
        classes = workload.network().classes();
        smoothing = (float) loss.labelSmoothing();
        weights = loss.weights(classes);
        classWeights = loss.classWeights() == null
                ? null
                : arena.reserve((long) weights.length * Float.BYTES, "the classes' weights");
        testLosses = arena.reserve((long) workload.dataset().test().size() * Float.BYTES, "the test samples' losses");
        confusion = arena.reserve((long) classes * classes * Integer.BYTES, "the confusion matrix");
        zero = arena.reserve(Integer.BYTES, "a zero");
    }

    private float sumOfWeights() {
        double sum = 0;
        for (float weight : weights) {
            sum += weight;
        }
        return (float) sum;
    }

    @Override
    public void upload() {
        if (classWeights != null) {
            classWeights.write(Pointer.to(weights));
        }
    }

    @Override
    public @Nullable Buffer classWeights() {
        return classWeights;
    }

    @Override
    public void differentiate(
            Compilation c, BatchTensor outputs, TrainingData data, Buffer sampleLosses, int batchSize) {
        c.kernels()
                .launch(
                        "cross_entropy",
                        THREADS_OF_ROW * outputs.samples(),
                        Objects.requireNonNullElse(outputs.gradient(), outputs.value()),
                        sampleLosses,
                        outputs.value(),
                        data.targets(),
                        data.order(),
                        c.step(),
                        data.batchWeights(),
                        classWeights,
                        smoothing,
                        sumOfWeights(),
                        batchSize,
                        c.part().first(),
                        outputs.samples(),
                        classes);
    }

    @Override
    public void test(Compilation c, BatchTensor outputs, TestData data, int batchSize) {
        c.kernels()
                .launch(
                        "test_batch",
                        THREADS_OF_ROW * outputs.samples(),
                        testLosses,
                        confusion,
                        outputs.value(),
                        data.targets(),
                        c.step(),
                        classWeights,
                        smoothing,
                        batchSize,
                        outputs.samples(),
                        classes);
    }

    @Override
    public void predict(Compilation c, BatchTensor outputs, Buffer predictions) {
        c.kernels()
                .launch(
                        "probabilities",
                        THREADS_OF_ROW * outputs.samples(),
                        predictions,
                        outputs.value(),
                        zero,
                        0,
                        outputs.samples(),
                        classes);
    }

    @Override
    public void beginTest() {
        confusion.clear();
    }

    @Override
    public Evaluation evaluation(Workload workload) {
        int[] counts = new int[classes * classes];
        confusion.read(Pointer.to(counts));
        float[] losses = new float[workload.dataset().test().size()];
        testLosses.read(Pointer.to(losses));
        int[][] byLabel = new int[classes][];
        Arrays.setAll(byLabel, label -> Arrays.copyOfRange(counts, label * classes, (label + 1) * classes));
        return Evaluation.of(workload, losses, byLabel);
    }
}
