package io.trainyard.device.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.host.ParameterUpdate.Loop;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.OptimizerSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CheckWorkloadTest {
    @Test
    void everyOptimizerIsChecked() {
        for (Class<?> kind : OptimizerSpec.class.getPermittedSubclasses()) {
            assertThat(CheckWorkload.optimizers()).hasAtLeastOneElementOfType(kind);
        }
    }

    @Test
    void everyLossIsChecked() {
        for (Class<?> kind : LossSpec.class.getPermittedSubclasses()) {
            assertThat(CheckWorkload.losses()).hasAtLeastOneElementOfType(kind);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyLoopOfUpdatesIsChecked(Loop loop) {
        assertThat(Loop.of(loop.example())).isEqualTo(loop);
        assertThat(CheckWorkload.optimizers()).extracting(Loop::of).contains(loop);
    }
}
