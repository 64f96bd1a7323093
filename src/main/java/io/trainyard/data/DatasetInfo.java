package io.trainyard.data;

import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.Shape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The description of a dataset without its samples.
///
/// @param shape of one sample: an image's (channels, height, width), or the (features) of a row
/// @param answers the targets of a sample
/// @param normalize default for jobs; null: no normalization
public record DatasetInfo(
        String name, Shape shape, Answers answers, @Nullable Normalize normalize) {

    public sealed interface Answers {
        /// A class.
        ///
        /// @param names by label, from 0 on; at least one
        record Classes(List<String> names) implements Answers {
            public Classes {
                names = List.copyOf(names);
            }
        }

        /// Numbers to predict, by regression.
        ///
        /// @param outputs their count
        record Numbers(int outputs) implements Answers {}
    }

    public static DatasetInfo ofClasses(String name, Shape shape, List<String> classNames) {
        return new DatasetInfo(name, shape, new Answers.Classes(classNames), null);
    }

    public int outputs() {
        return switch (answers) {
            case Answers.Classes classes -> classes.names().size();
            case Answers.Numbers numbers -> numbers.outputs();
        };
    }

    public LossSpec loss() {
        return switch (answers) {
            case Answers.Classes _ -> LossSpec.DEFAULT;
            case Answers.Numbers _ -> new LossSpec.MeanSquaredError();
        };
    }

    public void requireFit(LossSpec loss) {
        loss.requireFit(name, answers instanceof Answers.Numbers, outputs());
    }

    /// By label, from 0 on; empty for regression.
    public List<String> classNames() {
        return switch (answers) {
            case Answers.Classes classes -> classes.names();
            case Answers.Numbers _ -> List.of();
        };
    }
}
