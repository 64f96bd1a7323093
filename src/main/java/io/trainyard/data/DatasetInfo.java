package io.trainyard.data;

import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.Shape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is known of a data set before its samples are read.
///
/// @param shape of one sample: an image's (channels, height, width), or the (numbers) of a row
/// @param answers what there is to learn of a sample
/// @param normalize for jobs that do not say how to normalise; null: they are not normalised
public record DatasetInfo(
        String name, Shape shape, Answers answers, @Nullable Normalize normalize) {

    /// What there is to learn of a sample.
    public sealed interface Answers {
        /// Its class.
        ///
        /// @param names by label, from 0 on; at least one
        record Classes(List<String> names) implements Answers {
            public Classes {
                names = List.copyOf(names);
            }
        }

        /// Numbers, by regression.
        ///
        /// @param outputs how many
        record Numbers(int outputs) implements Answers {}
    }

    /// One of classes.
    public static DatasetInfo ofClasses(String name, Shape shape, List<String> classNames) {
        return new DatasetInfo(name, shape, new Answers.Classes(classNames), null);
    }

    /// What a network gives for a sample: a logit for each class, or numbers.
    public int outputs() {
        return switch (answers) {
            case Answers.Classes classes -> classes.names().size();
            case Answers.Numbers numbers -> numbers.outputs();
        };
    }

    /// The usual loss for what there is to learn.
    public LossSpec loss() {
        return switch (answers) {
            case Answers.Classes _ -> LossSpec.DEFAULT;
            case Answers.Numbers _ -> new LossSpec.MeanSquaredError();
        };
    }

    /// @throws io.trainyard.spec.InvalidJobException if a network cannot learn this by the loss
    public void requireFit(LossSpec loss) {
        loss.requireFit(name, answers instanceof Answers.Numbers, outputs());
    }

    /// By label, from 0 on; none where numbers are to be learnt.
    public List<String> classNames() {
        return switch (answers) {
            case Answers.Classes classes -> classes.names();
            case Answers.Numbers _ -> List.of();
        };
    }
}
