package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/// The weight of the newest batch in the running statistics of a batch norm: a constant, or the weight that makes
/// them means over all batches. The latter is PyTorch's `momentum=None`, written `cumulative` here, because null
/// means the default in a job.
///
/// @param given null for the mean over all batches
public record BatchMomentum(@Nullable Double given) {
    public static final BatchMomentum CUMULATIVE = new BatchMomentum(null);

    private static final String CUMULATIVE_NAME = "cumulative";

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static BatchMomentum read(JsonNode json) {
        if (json.isNumber()) {
            return new BatchMomentum(json.doubleValue());
        }
        if (!json.isTextual() || !json.textValue().equals(CUMULATIVE_NAME)) {
            throw new InvalidJobException("%s is given; allowed is a number, or \"%s\""
                    .formatted(Check.shortened(json.toString()), CUMULATIVE_NAME));
        }
        return CUMULATIVE;
    }

    @JsonValue
    Object json() {
        return given == null ? CUMULATIVE_NAME : given;
    }

    public boolean isCumulative() {
        return given == null;
    }

    /// The weight of a batch.
    ///
    /// @param before number of earlier batches
    public double weight(double before) {
        return given == null ? 1 / (before + 1) : given.floatValue();
    }

    @Override
    public String toString() {
        return json().toString();
    }
}
