package io.trainyard.dashboard.rest;

/// A range of steps that is asked for.
///
/// @param buckets as the tracking store takes it: at most twice as many come back, and two
record StepRange(long from, long to, int buckets) {
    static final String FIRST_STEP = "1";
    static final String ALL_STEPS = "9223372036854775807";

    static StepRange of(String from, String to, String points, int mostPoints) {
        long fromStep = Parameter.step("from", from);
        long toStep = Parameter.step("to", to);
        if (fromStep < 1 || fromStep > toStep) {
            throw Problem.badRequest("from is step %d and to is step %d; allowed is 1 or more, and no more than to"
                    .formatted(fromStep, toStep));
        }
        int most = points.equals("0") ? mostPoints : Parameter.integer("points", points, 4, mostPoints);
        return new StepRange(fromStep, toStep, most / 2 - 1);
    }
}
