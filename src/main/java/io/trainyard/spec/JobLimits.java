package io.trainyard.spec;

/// Limits that an operator sets for jobs, at most the limits of the job format. A job above a limit is refused
/// with both numbers and the setting's name.
///
/// @param parameters of a network, all layers together
/// @param batchSize samples in a step
/// @param epochs of a job
/// @param steps of a job: its epochs times the batches of one
/// @param minutes upper limit of `stopWhen.maxMinutes`, which is then required; 0: no limit
/// @param trials of a sweep
public record JobLimits(long parameters, int batchSize, int epochs, long steps, int minutes, int trials) {
    public static final long MAX_PARAMETERS = 1L << 32;
    public static final int MAX_BATCH_SIZE = 65_536;
    public static final int MAX_EPOCHS = 100_000;
    public static final long MAX_STEPS = 1_000_000_000_000L;
    public static final int MAX_MINUTES = 1_000_000;
    public static final int MAX_TRIALS = 1000;

    public static final JobLimits DEFAULT =
            new JobLimits(MAX_PARAMETERS, MAX_BATCH_SIZE, MAX_EPOCHS, MAX_STEPS, 0, MAX_TRIALS);

    private static final String VARIABLES = "TRAINYARD_LIMITS_";

    /// @throws IllegalArgumentException if a limit is out of range
    public JobLimits {
        requireRange("PARAMETERS", parameters, 1, MAX_PARAMETERS);
        requireRange("BATCH_SIZE", batchSize, 1, MAX_BATCH_SIZE);
        requireRange("EPOCHS", epochs, 1, MAX_EPOCHS);
        requireRange("STEPS", steps, 1, MAX_STEPS);
        requireRange("MINUTES", minutes, 0, MAX_MINUTES);
        requireRange("TRIALS", trials, 1, MAX_TRIALS);
    }

    private static void requireRange(String name, long value, long from, long to) {
        if (value < from || value > to) {
            throw new IllegalArgumentException(
                    "%s%s is %d; allowed is %d to %d".formatted(VARIABLES, name, value, from, to));
        }
    }

    /// @param network of the job, for its dataset
    /// @param stepsPerEpoch of its training
    /// @throws InvalidJobException if the job exceeds a limit
    public void require(JobSpec job, Network network, int stepsPerEpoch) {
        long weights = network.parameters().stream()
                .mapToLong(parameter -> parameter.shape().elements())
                .sum();
        require("the network's parameters are", weights, parameters, "PARAMETERS");
        if (job.kind() == JobKind.EVALUATE) {
            return; // the other limits are about training
        }
        require("batchSize is", job.batchSize(), batchSize, "BATCH_SIZE");
        require("epochs is", job.epochs(), epochs, "EPOCHS");
        require("the steps of all epochs are", (long) job.epochs() * stepsPerEpoch, steps, "STEPS");
        if (minutes > 0) {
            Double asked = job.stopWhen() == null ? null : job.stopWhen().maxMinutes();
            if (asked == null || asked > minutes) {
                throw new InvalidJobException("stopWhen.maxMinutes is %s; this fleet allows up to %d (%sMINUTES)"
                        .formatted(asked == null ? "not given" : asked.toString(), minutes, VARIABLES));
            }
        }
    }

    /// @throws InvalidJobException if a sweep has too many trials
    public void requireTrials(int asked) {
        require("the sweep's trials are", asked, trials, "TRIALS");
    }

    private static void require(String what, long value, long allowed, String name) {
        if (value > allowed) {
            throw new InvalidJobException(
                    "%s %d; this fleet allows up to %d (%s%s)".formatted(what, value, allowed, VARIABLES, name));
        }
    }
}
