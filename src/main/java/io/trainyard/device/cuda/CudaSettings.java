package io.trainyard.device.cuda;

import io.trainyard.device.DeviceException;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.Function;

/// What a machine's operator may say of the CUDA device. No bits depend on any of it but where that is said.
///
/// @param stepsPerGraph how many steps are recorded as one graph at most; empty: by [StepsPerGraph]'s rule
/// @param forks whether the gradients of weights are computed in a stream of their own
/// @param timesAlgorithms whether cuDNN's algorithms are timed: then the last bits of a job that begins depend on what
///     was fastest. One that goes on keeps to what it had, either way
record CudaSettings(OptionalInt stepsPerGraph, boolean forks, boolean timesAlgorithms) {
    /// One of them, as a system property and as an environment variable.
    enum Name {
        STEPS_PER_GRAPH,
        SECOND_STREAM,
        TIMED_ALGORITHMS;

        /// `cuda.steps-per-graph`
        String property() {
            return "cuda." + name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /// `CUDA_STEPS_PER_GRAPH`
        String variable() {
            return "CUDA_" + name();
        }
    }

    /// A graph of more would only take longer to record.
    private static final int MAX_STEPS = 64;

    /// This process's. A property goes before its environment variable.
    static CudaSettings ofProcess() {
        return of(name -> Objects.requireNonNullElseGet(
                System.getProperty(name.property()), () -> System.getenv().getOrDefault(name.variable(), "")));
    }

    /// @param given what is set, or nothing
    /// @throws DeviceException if a value is not allowed; says what is
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
