package io.trainyard.contract;

import static java.util.Map.entry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.spec.ActivationFunction.Hardtanh;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.Cutout;
import io.trainyard.spec.AugmentSpec.RandomCrop;
import io.trainyard.spec.ClipSpec;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.EpochSchedule.CosineRestarts;
import io.trainyard.spec.EpochSchedule.Exponential;
import io.trainyard.spec.EpochSchedule.MultiStep;
import io.trainyard.spec.EpochSchedule.Step;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.LayerSpec.Linear;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.OneCycleSchedule;
import io.trainyard.spec.OptimizerSpec.Sgd;
import io.trainyard.spec.Pooling.AdaptiveAvgPool2d;
import io.trainyard.spec.Pooling.AvgPool2d;
import io.trainyard.spec.Pooling.MaxPool2d;
import io.trainyard.spec.Residual;
import io.trainyard.spec.SampleNorm.GroupNorm;
import io.trainyard.spec.SplitSpec;
import io.trainyard.spec.StopWhen;
import io.trainyard.spec.Upsample;
import io.trainyard.spec.WarmupSchedule;
import java.util.List;
import java.util.Map;

/// Objects of a job in which one field after another may be tried out: all that must be given is there, and what else
/// a field depends on leaves it all that it can be. A type with nothing that must be given needs none.
final class JobSamples {
    private static final JsonMapper MAPPER = new JsonMapper();

    /// Several where one field takes another's place.
    private static final Map<Class<?>, List<String>> SAMPLES = Map.ofEntries(
            entry(JobSpec.class, List.of("""
                            {"id": "a", "network": "lenet", "dataset": "mnist", "epochs": 1,
                             "optimizer": {"type": "sgd", "learningRate": 0.1, "momentum": 0.9}}""", """
                            {"id": "a", "network": "lenet", "dataset": "mnist", "kind": "evaluate", "initFrom": "b"}""", """
                            {"id": "a", "network": "lenet", "dataset": "mnist", "epochs": 1, "sweep": {"seed": [1, 2]},
                             "random": 2, "asha": {}}""")),
            entry(NetworkSpec.class, List.of("{\"layers\": [{\"type\": \"relu\"}]}")),
            entry(DatasetSpec.class, List.of("{\"name\": \"mnist\"}")),
            entry(SplitSpec.class, List.of("{\"test\": 0.2}")),
            entry(Normalize.class, List.of("{\"mean\": [0.5], \"std\": [0.5]}")),
            entry(
                    AugmentSpec.class,
                    List.of("{\"horizontalFlip\": {}, \"randomCrop\": {\"padding\": 4}, \"cutout\": {\"size\": 8}}")),
            entry(RandomCrop.class, List.of("{\"padding\": 4}")),
            entry(Cutout.class, List.of("{\"size\": 8}")),
            entry(ClipSpec.class, List.of("{\"norm\": 1}", "{\"value\": 1}")),
            entry(EmaSpec.class, List.of("{\"decay\": 0.9}")),
            entry(StopWhen.class, List.of("{\"maxMinutes\": 1, \"noImprovementEpochs\": 1}")),
            entry(Sgd.class, List.of("{\"learningRate\": 0.1}")),
            entry(Step.class, List.of("{\"stepSize\": 1}")),
            entry(MultiStep.class, List.of("{\"milestones\": [1]}")),
            entry(Exponential.class, List.of("{\"gamma\": 0.9}")),
            entry(CosineRestarts.class, List.of("{\"periodEpochs\": 1}")),
            entry(OneCycleSchedule.class, List.of("{\"maxLearningRate\": 0.1}")),
            entry(WarmupSchedule.class, List.of("{\"steps\": 1}")),
            entry(Conv2d.class, List.of("{\"out\": 8, \"kernel\": 3}")),
            entry(MaxPool2d.class, List.of("{\"kernel\": 1024}")),
            entry(AvgPool2d.class, List.of("{\"kernel\": 1024}")),
            entry(AdaptiveAvgPool2d.class, List.of("{\"out\": 2}")),
            entry(Upsample.class, List.of("{\"size\": 2}", "{\"scaleFactor\": 2}")),
            entry(GroupNorm.class, List.of("{\"groups\": 2}")),
            entry(Hardtanh.class, List.of("{\"minVal\": -1000, \"maxVal\": 1000}")),
            entry(Linear.class, List.of("{\"out\": 2}")),
            entry(Residual.class, List.of("{\"layers\": [{\"type\": \"relu\"}]}")));

    private JobSamples() {}

    static List<ObjectNode> of(Class<?> type) {
        return SAMPLES.getOrDefault(type, List.of("{}")).stream()
                .map(JobSamples::json)
                .toList();
    }

    private static ObjectNode json(String text) {
        try {
            return (ObjectNode) MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    /// Gives a field a value, and what must be like it the same.
    ///
    /// @param field as `Conv2d.groups`
    static void set(ObjectNode sample, String field, JsonNode value) {
        sample.set(field.substring(field.indexOf('.') + 1), value);
        switch (field) {
            case "Conv2d.groups" ->
                sample.set("out", value.isIntegralNumber() && value.asLong() > 0 ? value : sample.get("out"));
            case "Normalize.mean" -> sample.set("std", ones(value));
            case "Normalize.std" -> sample.set("mean", ones(value));
            default -> {} // stands for itself
        }
    }

    private static JsonNode ones(JsonNode list) {
        var ones = MAPPER.createArrayNode();
        list.forEach(_ -> ones.add(1));
        return ones;
    }
}
