package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Set;

public enum JobKind {
    /// Trains a network and tests it after each epoch.
    @JsonProperty("train")
    TRAIN,

    /// Loads a checkpoint and tests it once.
    @JsonProperty("evaluate")
    EVALUATE;

    /// The fields for training. An evaluation has none of them.
    static final Set<String> TRAINING_FIELDS = Set.of(
            "epochs",
            "optimizer",
            "schedule",
            "freeze",
            "freezeBatchNorm",
            "clipGradients",
            "accumulateSteps",
            "ema",
            "shuffle",
            "sampler",
            "dropLast",
            "seed",
            "checkpointEveryEpochs",
            "checkpointEverySteps",
            "checkpointEverySeconds",
            "continueFrom",
            "except",
            "keepLast",
            "keepBest",
            "metric",
            "reportEverySteps",
            "stopWhen",
            "asha");

    boolean has(String field) {
        return this == TRAIN || !TRAINING_FIELDS.contains(field);
    }
}
