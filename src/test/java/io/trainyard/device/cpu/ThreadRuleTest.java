package io.trainyard.device.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Shape;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ThreadRuleTest {
    @Test
    void smallNetworksGetOneThreadAndWideOnesAll() {
        assertThat(ThreadRule.threads(lenet(), 4, 8)).isEqualTo(1);
        assertThat(ThreadRule.threads(signs(), 32, 8)).isEqualTo(1);
        assertThat(ThreadRule.threads(fashion(), 100, 8)).isEqualTo(1);
        assertThat(ThreadRule.threads(tudui(), 64, 8)).isEqualTo(8);
    }

    @Test
    void theBatchCounts() {
        assertThat(ThreadRule.threads(lenet(), 256, 8)).isEqualTo(8);
        assertThat(ThreadRule.threads(tudui(), 1, 8)).isEqualTo(1);
    }

    @Test
    void stepsHaveTheOperationsOneCountsByHand() {
        // of one sample's forward pass; two operations each, in three passes
        long multiplyAdds = 32L * 32 * 32 * 75 + 16 * 16 * 32 * 800 + 8 * 8 * 64 * 800 + 1024 * 64 + 640;
        assertThat(ThreadRule.stepFlop(tudui(), 64)).isEqualTo(64 * 3 * 2 * multiplyAdds);
        assertThat(ThreadRule.stepFlop(lenet(), 4) / 1e6).isCloseTo(15.6, Offset.offset(0.2));
    }

    private static Network tudui() {
        return Network.fit(NetworkSpec.named("tudui"), Shape.of(3, 32, 32), 10);
    }

    private static Network lenet() {
        return Network.fit(NetworkSpec.named("lenet"), Shape.of(3, 32, 32), 10);
    }

    private static Network fashion() {
        return Network.fit(NetworkSpec.named("fashion"), Shape.of(1, 28, 28), 10);
    }

    private static Network signs() {
        return Network.fit(NetworkSpec.named("signs"), Shape.of(3, 64, 64), 6);
    }
}
