package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.trainyard.spec.FieldDefaults.Required;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Parameters with options of their own: a group of `torch.optim`.
///
/// @param parameters patterns of names of parameters and layers
/// @param learningRate the base rate of the schedule; null: the optimizer's
/// @param weightDecay null: the optimizer's
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ParameterGroup(
        @Required("optimizer.groups.parameters") List<String> parameters,
        @Nullable Double learningRate,
        @Nullable Double weightDecay) {
    static final int MOST = 100;

    public ParameterGroup {
        parameters = NamePatterns.check("optimizer.groups.parameters", parameters);
        for (Double option : Arrays.asList(learningRate, weightDecay)) {
            if (option != null) {
                var _ = Check.within("learningRate or weightDecay in optimizer.groups", option, 0, 1000);
            }
        }
        if (learningRate == null && weightDecay == null) {
            throw new InvalidJobException(
                    "optimizer.groups has a group of %s without learningRate and weightDecay; give it one of them"
                            .formatted(parameters));
        }
    }
}
