package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.device.Device;
import io.trainyard.device.Devices;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.device.parallel.ParallelDevice;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Results are the same for every order in which a GPU may run unordered work.
@OnFakeCuda
final class SeedsFakeCudaTest {
    private static final int FEW = 3;

    @AfterEach
    void back() {
        FakeCudaLibraries.set(FakeCudaLibraries.SEED, "");
    }

    private record Trained(Map<String, String> state, List<Float> losses, double testLoss) {}

    @Test
    void fewSeeds() {
        compare(FEW);
    }

    /// Runs `-Dseeds` seeds.
    @Campaign
    @Test
    void manySeeds() {
        compare(Integer.getInteger("seeds", 200));
    }

    private static void compare(int seeds) {
        Device one = Devices.open(new DeviceSpec("cuda:0"));
        Device two = ParallelDevice.open(List.of(new DeviceSpec("cuda:0"), new DeviceSpec("cuda:1")));
        for (Precision precision : Precision.values()) {
            compare(one, CheckWorkload.eventful().withPrecision(precision), seeds);
            compare(one, inParts().withPrecision(precision), seeds); // in bf16 a single kernel
            compare(two, inParts().withPrecision(precision), seeds);
        }
    }

    private static void compare(Device device, Workload workload, int seeds) {
        Trained expected = train(device, workload, 1);
        for (int seed = 2; seed < 2 + seeds; seed++) {
            assertThat(train(device, workload, seed))
                    .as("%s in %s, seed %d", device.info().name(), workload.precision(), seed)
                    .isEqualTo(expected);
        }
    }

    private static Workload inParts() {
        List<LayerSpec> layers = List.of(
                Layers.conv(4, 3, 1, 1, true),
                Layers.relu(),
                Layers.pool(2, 2),
                Layers.flatten(),
                Layers.dropout(0.3),
                Layers.linear(3, true));
        return CheckWorkload.of(Shape.of(2, 8, 8), 3, layers, CheckWorkload.MOMENTUM, 6, 40, 10);
    }

    private static Trained train(Device device, Workload workload, int seed) {
        FakeCudaLibraries.set(FakeCudaLibraries.SEED, Integer.toString(seed));
        try (LearningSession session = device.open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            List<Float> losses = new ArrayList<>();
            for (float loss : session.advance(workload.stepsPerEpoch())) {
                losses.add(loss);
            }
            return new Trained(
                    Bits.of(session.save()), losses, session.evaluate().testLoss());
        }
    }
}
