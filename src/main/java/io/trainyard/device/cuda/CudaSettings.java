package io.trainyard.device.cuda;

import io.trainyard.device.DeviceException;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// What a machine's operator may say of the CUDA device. No job's bits depend on any of it but those that say so.
///
/// @param stepsPerGraph how many steps are recorded as one graph at most; empty: by [StepsPerGraph]'s rule
record CudaSettings(OptionalInt stepsPerGraph) {
    static final String STEPS_PROPERTY = "cuda.steps-per-graph";
    static final String STEPS_VARIABLE = "CUDA_STEPS_PER_GRAPH";

    /// A graph of more would only take longer to record.
    private static final int MAX_STEPS = 64;

    /// This process's. A property goes before its environment variable.
    static CudaSettings ofProcess() {
        return of(System.getProperty(STEPS_PROPERTY), System.getenv());
    }

    /// @param steps the property, or null
    /// @throws DeviceException if a value is not allowed; says what is
    static CudaSettings of(@Nullable String steps, Map<String, String> environment) {
        String given = steps == null ? environment.getOrDefault(STEPS_VARIABLE, "") : steps;
        return new CudaSettings(given.isEmpty() ? OptionalInt.empty() : OptionalInt.of(number(given)));
    }

    private static int number(String given) {
        if (!given.matches("\\d{1,2}") || Integer.parseInt(given) < 1 || Integer.parseInt(given) > MAX_STEPS) {
            throw new DeviceException(
                    "%s is \"%s\"; allowed is 1 to %d, how many steps are recorded as one CUDA graph. Leave it out to have the device choose"
                            .formatted(STEPS_VARIABLE, given, MAX_STEPS));
        }
        return Integer.parseInt(given);
    }
}
