package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// On a GPU with clusters.
@OnDouble
final class StepsInClusterDoubleTest extends StepKernelContract {
    @Override
    int capability() {
        return 90;
    }

    @Override
    String kernel() {
        return "train_steps_in_cluster";
    }

    /// The double has either kernel on every device.
    @Test
    void oneBlockGivesTheSameBits() {
        assertThat(trained(TestedCuda.by(new StepKernelRule(1)))).isEqualTo(trained(device()));
    }

    private List<Object> trained(Device device) {
        Workload workload = eventful();
        try (LearningSession session = device.open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            float[] losses = session.advance(workload.stepsPerEpoch());
            return List.of(Arrays.toString(Bits.of(losses)), Bits.of(session.save()));
        }
    }
}
