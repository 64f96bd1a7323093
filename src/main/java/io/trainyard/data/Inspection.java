package io.trainyard.data;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What `./trainyard dataset inspect` tells of a folder.
///
/// @param path of the folder
/// @param described whether `dataset.json` was there
/// @param description what it says, or would say
/// @param reasons why the folder is taken for what it would say, in sentences; none where it was there
/// @param unreadable why it cannot be trained on; null: it can
/// @param shape of one sample; null where it is not known, or samples differ
/// @param type of its values in memory: `uint8` or `float32`; null where it is not known
/// @param train how many samples there are to train on
/// @param test how many to test on
/// @param classes by label; none where numbers are to be predicted
/// @param channels of the samples to train on; of rows each column is one; none where there are too many
/// @param imageSizes of the files of images; null where there are none
/// @param equal samples that are there more than once; null where it was not looked for
/// @param odd what one may want to look at, in sentences
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
        int test,
        List<ClassCount> classes,
        List<Channel> channels,
        @Nullable ImageSizes imageSizes,
        @Nullable Equal equal,
        List<String> odd) {
    public record ClassCount(String name, int train, int test) {}

    /// In the units that a network is given without `normalize`: bytes are of 0 to 1.
    public record Channel(String name, double mean, double std, double least, double most) {}

    /// @param different how many sizes there are
    /// @param smallest by the number of pixels, as width x height
    /// @param largest likewise
    /// @param usual the one that most images have
    public record ImageSizes(int different, String smallest, String largest, String usual) {}

    /// What is there more than once.
    ///
    /// @param train samples to train on that are like one before them
    /// @param test samples to test on that are like one to test on before them
    /// @param testedAsTrained samples to test on that are like one to train on
    /// @param withOtherLabels of all these, how many have another class than the first that is like them
    /// @param first some of them: which is like which
    public record Equal(int train, int test, int testedAsTrained, int withOtherLabels, List<String> first) {}

    @JsonProperty
    public String kind() {
        return description.path("kind").asText();
    }
}
