package io.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.data.DatasetInfo;
import io.trainyard.data.Targets;
import io.trainyard.spec.Shape;
import io.trainyard.training.Predictions;
import org.junit.jupiter.api.Test;

class PredictionTextTest {
    @Test
    void printsPredictedValuesNextToTheTargets() {
        PredictionText text = PredictionText.of(new Predictions(
                new DatasetInfo("set", Shape.of(1), new DatasetInfo.Answers.Numbers(2), null),
                new Targets.Numbers(new float[] {1, -2, 0.5f, 4}, 2),
                new float[] {1.5f, -2, 0, 1}));
        assertThat(text.csvTitles()).isEqualTo("index,target0,target1,predicted0,predicted1");
        assertThat(text.csv(0)).isEqualTo("0,1.0,-2.0,1.5,-2.0");
        assertThat(text.json(1)).isEqualTo("{\"index\":1,\"target\":[0.5,4.0],\"predicted\":[0.0,1.0]}");
        assertThat(text.quality()).isEqualTo("mean absolute error 1.00000");
    }
}
