package io.trainyard.device.check;

/// Training and test speed of a device.
///
/// @param device its name
/// @param medianStepMicros over blocks of steps, each represented by its mean step
/// @param p95StepMicros likewise
/// @param steps number of measured steps
/// @param testMillis duration of a pass over the test samples
public record BenchmarkResult(
        String device, BenchmarkCase of, double medianStepMicros, double p95StepMicros, int steps, double testMillis) {
    public double samplesPerSecond() {
        return of.batchSize() * 1e6 / medianStepMicros;
    }

    public double testSamplesPerSecond() {
        return of.tests() * 1e3 / testMillis;
    }
}
