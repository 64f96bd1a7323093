package io.trainyard.device.check;

/// How fast a device trained and tested.
///
/// @param device its name
/// @param medianStepMicros over blocks of steps, of which each counts with the mean of its steps
/// @param p95StepMicros likewise
/// @param steps measured
/// @param testMillis a pass over the test set
public record BenchmarkResult(
        String device, BenchmarkCase of, double medianStepMicros, double p95StepMicros, int steps, double testMillis) {
    public double samplesPerSecond() {
        return of.batchSize() * 1e6 / medianStepMicros;
    }

    public double testSamplesPerSecond() {
        return of.tests() * 1e3 / testMillis;
    }
}
