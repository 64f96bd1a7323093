package io.trainyard.data;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.module.paramnames.ParameterNamesModule;
import io.trainyard.data.DatasetInfo.Answers;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The metadata of a packed file.
///
/// @param classNames by label; null for regression
/// @param outputs the numbers to predict; null for classes
/// @param normalize from the original description
/// @param mean of each channel of the training samples, in network units without `normalize`; empty if there are
///     too many channels
/// @param std likewise
/// @param trainOfClass training samples of each class
/// @param testOfClass likewise
@JsonInclude(JsonInclude.Include.NON_NULL)
record PackedDescription(
        @Nullable List<String> classNames,
        @Nullable Integer outputs,
        @Nullable Normalize normalize,
        List<Float> mean,
        List<Float> std,
        @Nullable List<Integer> trainOfClass,
        @Nullable List<Integer> testOfClass) {
    private static final JsonMapper MAPPER =
            JsonMapper.builder().addModule(new ParameterNamesModule()).build();

    static PackedDescription read(Path file, String json) {
        try {
            PackedDescription read = MAPPER.readValue(json, PackedDescription.class);
            var unused = read.answers();
            return read;
        } catch (JsonProcessingException | InvalidJobException e) {
            throw PackedFile.damaged(file, "its description cannot be read", e);
        }
    }

    static PackedDescription of(Dataset dataset, DatasetInfo info) {
        List<Float> mean = new ArrayList<>();
        List<Float> std = new ArrayList<>();
        if (ChannelStatistics.supports(dataset.shape())) {
            ProgressLog log = new ProgressLog("looked at", "samples of " + dataset.name());
            ChannelStatistics channels = ChannelStatistics.of(
                    dataset.train().samples(),
                    dataset.shape(),
                    n -> log.at(n, dataset.train().size()));
            for (int c = 0; c < channels.channels(); c++) {
                mean.add((float) channels.mean(c));
                std.add((float) channels.std(c));
            }
        }
        return switch (info.answers()) {
            case Answers.Classes classes ->
                new PackedDescription(
                        classes.names(),
                        null,
                        info.normalize(),
                        mean,
                        std,
                        counts(dataset.train(), classes),
                        counts(dataset.test(), classes));
            case Answers.Numbers numbers ->
                new PackedDescription(null, numbers.outputs(), info.normalize(), mean, std, null, null);
        };
    }

    private static List<Integer> counts(Dataset.Split split, Answers.Classes classes) {
        int[] counts = new int[classes.names().size()];
        for (int label : split.labels()) {
            counts[label]++;
        }
        return IntStream.of(counts).boxed().toList();
    }

    String json() {
        try {
            return MAPPER.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a description of texts and numbers has no JSON", e);
        }
    }

    /// @throws InvalidJobException if it has neither classes nor numbers, or more than allowed
    Answers answers() {
        if (outputs == null) {
            return DatasetManifest.classes(null, classNames);
        }
        if (outputs < 1) {
            throw new InvalidJobException("outputs is %d; it must be at least 1".formatted(outputs));
        }
        return new Answers.Numbers(outputs);
    }
}
