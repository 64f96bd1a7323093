package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.data.DatasetInfo;
import io.trainyard.data.Targets;
import io.trainyard.spec.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

class PredictionTextTest {
    @Test
    void printsPredictedValuesNextToTheTargets() {
        DatasetInfo set = new DatasetInfo("set", Shape.of(1), new DatasetInfo.Answers.Numbers(2), null);
        PredictionText text = PredictionText.of(new Predictions(
                set, List.of("0", "1"), new Targets.Numbers(new float[] {1, -2, Float.NaN, Float.NaN}, 2), new float[] {
                    1.5f, -2, 0, 1
                }));
        assertThat(PredictionText.csvTitles("index", set)).isEqualTo("index,target0,target1,predicted0,predicted1");
        assertThat(text.csv(0)).isEqualTo("0,1.0,-2.0,1.5,-2.0");
        assertThat(text.csv(1)).isEqualTo("1,,,0.0,1.0");
        assertThat(text.json("index", 1)).isEqualTo("{\"index\":1,\"target\":[null,null],\"predicted\":[0.0,1.0]}");
        assertThat(PredictionText.quality(set, 2, text.known(), text.sum())).isEqualTo("mean absolute error 0.250000");
    }
}
