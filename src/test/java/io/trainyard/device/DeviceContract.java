package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The contract of every device. A backend's test is a subclass that opens its device. It also implements
/// [NumbersContract] unless the device is the reference itself.
public abstract class DeviceContract extends SessionContract implements GoldenContract {
    /// The loaded state counts 41 batches.
    @Test
    void meansOverAllBatchesContinueFromTheLoadedNumber() {
        for (String statistic : List.of("0.running_mean", "0.running_var")) {
            float[] before = statistic(statistic, Layers.norm(BatchNorm.DEFAULT_EPS, 0, true));
            float[] ofTheBatch = statistic(statistic, Layers.norm(BatchNorm.DEFAULT_EPS, 1, true));
            float[] now = statistic(statistic, Layers.cumulativeNorm());
            for (int c = 0; c < now.length; c++) {
                Expect.close(statistic, (41 * (double) before[c] + ofTheBatch[c]) / 42, now[c]);
            }
        }
    }

    /// The value after one step.
    private float[] statistic(String name, LayerSpec norm) {
        List<LayerSpec> layers = List.of(norm, Layers.flatten(), Layers.linear(3, true));
        Workload workload = CheckWorkload.of(Shape.of(2, 3, 3), 3, layers, CheckWorkload.PLAIN, 4, 4, 4);
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            assertThat(session.advance(1)).hasSize(1);
            return session.save().model().floats(name, Shape.of(2));
        }
    }

    @Test
    void aCounterOfAnotherTypeIsRefused() {
        Workload workload = eventful();
        SessionState wrong =
                TestState.with(CheckWorkload.state(workload), "1.num_batches_tracked", TestState.tensor(Shape.of(), 1));
        try (LearningSession session = device().open(workload)) {
            assertThatThrownBy(() -> session.load(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "parameter 1.num_batches_tracked is float32 of shape scalar; expected is int64 of shape scalar");
        }
    }
}
