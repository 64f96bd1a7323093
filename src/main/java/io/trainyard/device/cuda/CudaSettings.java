package io.trainyard.device.cuda;

import io.trainyard.device.DeviceException;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.Function;

/// The operator's settings of the CUDA device. They do not affect results, except as noted.
///
/// @param stepsPerGraph the most steps recorded as one graph; empty: by the rule of [StepsPerGraph]
/// @param forks whether weight gradients are computed in a separate stream
/// @param timesAlgorithms whether cuDNN's algorithms are timed: the choice affects the last bits of a new job's
///     results. A resumed job keeps its algorithms
record CudaSettings(OptionalInt stepsPerGraph, boolean forks, boolean timesAlgorithms) {
    /// A setting, as a system property and as an environment variable.
    enum Name {
        STEPS_PER_GRAPH,
        SECOND_STREAM,
        TIMED_ALGORITHMS;

        String property() {
            return "cuda." + name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        String variable() {
            return "CUDA_" + name();
        }
    }

    /// More steps would only take longer to record.
    private static final int MAX_STEPS = 64;

    /// The settings of this process. A property overrides its environment variable.
    static CudaSettings ofProcess() {
        return of(name -> Objects.requireNonNullElseGet(
                System.getProperty(name.property()), () -> System.getenv().getOrDefault(name.variable(), "")));
    }

    /// @param given the value of a setting, or empty
    /// @throws DeviceException if a value is not allowed; the message has the allowed values
    static CudaSettings of(Function<Name, String> given) {
        String steps = given.apply(Name.STEPS_PER_GRAPH);
        return new CudaSettings(
                steps.isEmpty() ? OptionalInt.empty() : OptionalInt.of(steps(steps)),
                isOn(Name.SECOND_STREAM, given.apply(Name.SECOND_STREAM)),
                isOn(Name.TIMED_ALGORITHMS, given.apply(Name.TIMED_ALGORITHMS)));
    }

    private static int steps(String given) {
        if (!given.matches("\\d{1,2}") || Integer.parseInt(given) < 1 || Integer.parseInt(given) > MAX_STEPS) {
            throw new DeviceException(
                    "%s is \"%s\"; allowed is 1 to %d, how many steps are recorded as one CUDA graph. Leave it out to have the device choose"
                            .formatted(Name.STEPS_PER_GRAPH.variable(), given, MAX_STEPS));
        }
        return Integer.parseInt(given);
    }

    private static boolean isOn(Name name, String given) {
        return switch (given) {
            case "", "on" -> true;
            case "off" -> false;
            default ->
                throw new DeviceException(
                        "%s is \"%s\"; allowed is on or off. Leave it out for on".formatted(name.variable(), given));
        };
    }
}
