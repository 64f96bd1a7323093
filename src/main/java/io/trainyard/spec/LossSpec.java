package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The loss that training minimizes and tests measure, as in `torch.nn`: the mean over a batch.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = LossSpec.CrossEntropy.class, name = "crossEntropy"),
    @JsonSubTypes.Type(value = LossSpec.MeanSquaredError.class, name = "mse")
})
public sealed interface LossSpec {
    /// The loss of a job without `loss`.
    LossSpec DEFAULT = new CrossEntropy(0, null);

    /// @param dataset the dataset's name
    /// @param numbers whether the targets are numbers, not classes
    /// @param outputs number of classes or numbers
    /// @throws InvalidJobException if the loss does not fit the targets
    void requireFit(String dataset, boolean numbers, int outputs);

    /// Whether numbers are predicted, for which there is no accuracy, instead of classes.
    @JsonIgnore
    boolean isRegression();

    /// `nn.CrossEntropyLoss(weight=classWeights, label_smoothing=labelSmoothing)`. For logits z, p = softmax z,
    /// true class t, K classes and class weights w, the loss of a sample is (1 - labelSmoothing) w[t] (-log p[t])
    /// + labelSmoothing / K sum of w[k] (-log p[k]). The mean is the samples' sum divided by the sum of their
    /// w[t].
    ///
    /// @param classWeights one for each class; null: all are 1
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record CrossEntropy(double labelSmoothing, @Nullable List<Double> classWeights) implements LossSpec {
        /// The limit of all datasets.
        public static final int MAX_CLASSES = 4096;

        public CrossEntropy {
            Check.between("loss.labelSmoothing", labelSmoothing, 0, 1);
            if (classWeights != null) {
                classWeights = Check.complete("loss.classWeights", classWeights);
                Check.between("the length of loss.classWeights", classWeights.size(), 1, MAX_CLASSES);
                classWeights.forEach(weight -> Check.between("loss.classWeights", weight, 0, 1e6));
                if (classWeights.stream().allMatch(weight -> weight == 0)) {
                    throw new InvalidJobException(
                            "loss.classWeights is %s; at least one must be above 0, or nothing is learnt"
                                    .formatted(Check.shortened(classWeights.toString())));
                }
            }
        }

        @Override
        public void requireFit(String dataset, boolean numbers, int outputs) {
            if (numbers) {
                throw new InvalidJobException(
                        "loss is crossEntropy, but dataset %s has %d target values per sample, not classes; give the job \"loss\": {\"type\": \"mse\"}, or a dataset with class labels"
                                .formatted(dataset, outputs));
            }
            if (classWeights != null && classWeights.size() != outputs) {
                throw new InvalidJobException(
                        "loss.classWeights has %d weights, but the dataset has %d classes; give one for each class"
                                .formatted(classWeights.size(), outputs));
            }
        }

        @Override
        public boolean isRegression() {
            return false;
        }

        /// Class weights in float32, as in PyTorch.
        public float[] weights(int classes) {
            float[] weights = new float[classes];
            Arrays.fill(weights, 1);
            for (int k = 0; classWeights != null && k < classes; k++) {
                weights[k] = classWeights.get(k).floatValue();
            }
            return weights;
        }
    }

    /// `nn.MSELoss()`: the mean of the squared differences between outputs and targets, over samples and outputs.
    record MeanSquaredError() implements LossSpec {
        @Override
        public void requireFit(String dataset, boolean numbers, int outputs) {
            if (!numbers) {
                throw new InvalidJobException(
                        "loss is mse, but dataset %s has %d classes, not target values; leave loss out, for cross-entropy, or name a dataset with target values"
                                .formatted(dataset, outputs));
            }
        }

        @Override
        public boolean isRegression() {
            return true;
        }
    }
}
