package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/// How much the newest batch counts in the running statistics of a batch norm: always as much, or no more than each
/// batch before it, so that they are means over all batches. That is PyTorch's `momentum=None`; in a job null stands
/// for what is left out.
///
/// @param given null for no more than each before it
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
    /// @param before how many batches there were before it
    public double weight(double before) {
        return given == null ? 1 / (before + 1) : given.floatValue();
    }

    /// As in JSON.
    @Override
    public String toString() {
        return json().toString();
    }
}
