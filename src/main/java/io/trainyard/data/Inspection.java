package io.trainyard.data;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The result of `./trainyard dataset inspect`.
///
/// @param path of the folder
/// @param described whether `dataset.json` exists
/// @param description the content of `dataset.json`, or a proposal
/// @param reasons for the proposal, in sentences; empty if `dataset.json` exists
/// @param unreadable why the folder cannot be trained on; null: it can
/// @param shape of one sample; null if unknown, or if samples differ
/// @param type of its values in memory: `uint8` or `float32`; null if unknown
/// @param train number of training samples
/// @param validation number of validation samples; null without this part
/// @param test number of test samples
/// @param classes by label; empty for regression
/// @param channels of the training samples; columns in tables; empty if there are too many
/// @param imageSizes of the image files; null for other kinds
/// @param equal duplicate samples; null if not searched
/// @param odd findings to look at, in sentences
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Inspection(
        String path,
        boolean described,
        JsonNode description,
        List<String> reasons,
        @Nullable String unreadable,
        @Nullable List<Integer> shape,
        @Nullable String type,
        int train,
        @Nullable Integer validation,
        int test,
        List<ClassCount> classes,
        List<Channel> channels,
        @Nullable ImageSizes imageSizes,
        @Nullable Equal equal,
        List<String> odd) {
    /// @param validation null without this part
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ClassCount(
            String name, int train, @Nullable Integer validation, int test) {
        ClassCount(String name, int train, int test) {
            this(name, train, null, test);
        }
    }

    /// In network units without `normalize`: bytes are scaled to 0 to 1.
    public record Channel(String name, double mean, double std, double least, double most) {}

    /// @param different number of sizes
    /// @param smallest by the number of pixels, as width x height
    /// @param largest likewise
    /// @param usual the most frequent one
    public record ImageSizes(int different, String smallest, String largest, String usual) {}

    /// Duplicate samples.
    ///
    /// @param train training samples equal to an earlier training sample
    /// @param test test samples equal to an earlier test sample
    /// @param testedAsTrained test samples equal to a training sample
    /// @param withOtherLabels how many of all these have another class than their first equal
    /// @param first some pairs of equal samples
    public record Equal(int train, int test, int testedAsTrained, int withOtherLabels, List<String> first) {}

    @JsonProperty
    public String kind() {
        return description.path("kind").asText();
    }
}
