package io.trainyard.device.vector;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.DeviceInfo;
import io.trainyard.device.StackProgram;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.device.host.ParameterUpdate.Loop;
import io.trainyard.spec.ClipSpec;
import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Which jobs are trained with others of their kind, and which by themselves.
class StackRuleTest {
    private static final Workload SMALL = new VectorDeviceTest().eventful();

    private static Workload of(Shape input, LayerSpec... layers) {
        return CheckWorkload.of(input, 3, List.of(layers), CheckWorkload.MOMENTUM, 4, 8, 4);
    }

    @ParameterizedTest
    @EnumSource
    void takesEveryUpdateRule(Loop loop) {
        assertThat(StackRule.takes(CheckWorkload.with(SMALL, loop.example()))).isTrue();
    }

    static List<LoopSpec> loops() {
        return CheckWorkload.loops();
    }

    @ParameterizedTest
    @MethodSource("loops")
    void takesEveryLoop(LoopSpec loop) {
        assertThat(StackRule.takes(SMALL.withLoop(loop))).isTrue();
    }

    /// What a loop does is the program; the numbers are each job's, and a last batch that is left out its own affair.
    @Test
    void loopsOfOneProgramDifferInNumbersOnly() {
        LoopSpec clipped = new LoopSpec(false, 2, new ClipSpec(1.0, null), new EmaSpec(0.5));
        assertThat(program(new LoopSpec(true, 2, new ClipSpec(0.1, null), new EmaSpec(0.9))))
                .isEqualTo(program(clipped))
                .isNotEqualTo(program(new LoopSpec(true, 3, new ClipSpec(0.1, null), new EmaSpec(0.9))))
                .isNotEqualTo(program(new LoopSpec(true, 2, new ClipSpec(null, 0.1), new EmaSpec(0.9))))
                .isNotEqualTo(program(new LoopSpec(true, 2, null, new EmaSpec(0.9))))
                .isNotEqualTo(program(new LoopSpec(true, 2, new ClipSpec(0.1, null), null)));
    }

    private static StackProgram program(LoopSpec loop) {
        return new VectorDevice(new DeviceInfo("cpu", "a model", "vectors", 1 << 30))
                .program(SMALL.withLoop(loop))
                .orElseThrow();
    }

    @Test
    void takesSmallNetworksWithConvolutions() {
        LayerSpec conv = Layers.conv(4, 3, 1, 1, true);
        Shape image = Shape.of(1, 8, 8);
        assertThat(StackRule.takes(of(image, conv, Layers.flatten(), Layers.linear(3, true))))
                .isTrue();
        assertThat(StackRule.takes(of(image, Layers.flatten(), Layers.linear(3, true))))
                .as("no convolution")
                .isFalse();
        assertThat(StackRule.takes(of(image, conv, Layers.norm(), Layers.flatten(), Layers.linear(3, true))))
                .as("a layer without kernels")
                .isFalse();
        assertThat(StackRule.takes(of(Shape.of(1, 40, 40), conv, Layers.flatten(), Layers.linear(3, true))))
                .as("too many parameters and values")
                .isFalse();
    }

    @Test
    void takesNothingThatALaneDoesNotCompute() {
        assertThat(StackRule.takes(SMALL.withThreads(2))).isFalse();
        assertThat(StackRule.takes(SMALL.forTests())).isFalse();
        assertThat(StackRule.takes(CheckWorkload.in(Precision.BF16, SMALL))).isFalse();
    }
}
