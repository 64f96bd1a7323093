package io.trainyard.device.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.NumbersContract;
import io.trainyard.device.SessionState;
import io.trainyard.device.ShardDevice;
import io.trainyard.device.ShardRange;
import io.trainyard.device.ShardSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.device.host.ThreadTeam;
import io.trainyard.device.onednn.BatchNormTest;
import io.trainyard.device.onednn.OneDnnDeviceTest;
import io.trainyard.device.parallel.FakePart.FakeFailure;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Shape;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Slow
class ParallelSessionTest {
    private static ParallelDevice cpus(int count) {
        return ParallelDevice.open(Collections.nCopies(count, new DeviceSpec("cpu")));
    }

    static Stream<Workload> bothKindsOfKernels() {
        return Stream.of(new ThreeCpusTest().eventful(), OneDnnDeviceTest.wide());
    }

    /// Each device itself updates only a shard of the parameters.
    @ParameterizedTest
    @MethodSource("bothKindsOfKernels")
    void allDevicesEndWithTheSameState(Workload workload) {
        List<ShardDevice> devices = cpus(3).devices();
        ShardSession[] parts = new ShardSession[3];
        SessionState[] states = new SessionState[3];
        try (ThreadTeam team = new ThreadTeam(3)) {
            parts[0] = devices.getFirst().openPart(workload, new ShardRange(0, 3), null);
            team.run(t ->
                    parts[t] = t == 0 ? parts[0] : devices.get(t).openPart(workload, new ShardRange(t, 3), parts[0]));
            team.run(t -> parts[t].join(List.of(parts), () -> team.barrier().await(t)));
            team.run(t -> parts[t].load(CheckWorkload.state(workload)));
            team.run(t -> parts[t].beginEpoch(CheckWorkload.plan(workload, 1), 0));
            team.run(t -> parts[t].beginSteps(2));
            for (int step = 0; step < 2; step++) {
                team.run(t -> parts[t].computeGradients());
                team.run(t -> parts[t].update());
            }
            float[][] losses = new float[3][];
            team.run(t -> losses[t] = parts[t].endSteps());
            assertThat(List.of(losses))
                    .allSatisfy(own -> assertThat(own).hasSize(2).doesNotContain(0));
            for (int t = 0; t < 3; t++) {
                int requested = t;
                team.run(own -> states[own] = own == requested ? parts[own].save() : states[own]);
            }
            assertThatThrownBy(() -> parts[0].advance(1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("take its steps with the others");
            team.run(t -> parts[t].close());
        }
        assertThat(Bits.of(states[0])).isNotEqualTo(Bits.of(CheckWorkload.state(workload)));
        assertThat(Bits.of(states[1])).isEqualTo(Bits.of(states[0]));
        assertThat(Bits.of(states[2])).isEqualTo(Bits.of(states[0]));
    }

    @ParameterizedTest
    @MethodSource("bothKindsOfKernels")
    void reportsTheTimeThatStepsWaitForBatches(Workload workload) {
        try (LearningSession session = cpus(2).open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            assertThat(session.batchNanos()).hasValue(0);
            long begin = System.nanoTime();
            var _ = session.advance(2);
            long most = System.nanoTime() - begin;
            long waited = session.batchNanos().orElseThrow();
            assertThat(waited).isBetween(1L, most);
            var _ = session.evaluate();
            assertThat(session.batchNanos()).as("tests are no steps").hasValue(waited);
        }
    }

    /// The third of five devices has 1 sample of a batch of 8, but 2 samples of the last batch of 7.
    @Test
    void aDeviceMayHaveMoreOfTheLastBatch() {
        List<LayerSpec> layers =
                List.of(Layers.conv(17, 3, 2, 1, true), Layers.relu(), Layers.flatten(), Layers.linear(4, true));
        Workload workload = CheckWorkload.of(Shape.of(3, 9, 9), 4, layers, CheckWorkload.MOMENTUM, 8, 23, 9);
        assertThat(new ShardRange(2, 5).size(8)).isEqualTo(1);
        assertThat(new ShardRange(2, 5).size(7)).isEqualTo(2);
        NumbersContract.checkTraining(cpus(5), workload);
    }

    /// Its parameters have blocked layouts, and devices with 10 and 11 samples would choose different ones.
    @ParameterizedTest
    @ValueSource(ints = {0, 3, 6, 7})
    void wideNetworksTrainAsTheReferenceDoes(int threads) {
        NumbersContract.checkTraining(cpus(3), OneDnnDeviceTest.wide().withThreads(threads));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tudui", "lenet", "fashion"})
    void builtInNetworksTrainAsTheReferenceDoes(String name) {
        Shape input = name.equals("fashion") ? Shape.of(1, 28, 28) : Shape.of(3, 32, 32);
        List<LayerSpec> layers = NetworkSpec.named(name).layers();
        NumbersContract.checkTraining(cpus(3), CheckWorkload.of(input, 10, layers, CheckWorkload.MOMENTUM, 4, 9, 11));
    }

    /// 1 thread for 2 devices would leave one device without a thread.
    @ParameterizedTest
    @CsvSource({"1, 2", "2, 2", "3, 3", "4, 4"})
    void devicesShareTheThreads(int requested, int used) {
        try (LearningSession session =
                cpus(2).open(new ThreeCpusTest().eventful().withThreads(requested))) {
            assertThat(session.threads()).isEqualTo(used);
        }
    }

    /// Batches of 32, then one of 1 sample that only the last device has. Of 40 devices some never have a
    /// sample, but they must still join the barriers.
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 40})
    void batchNormsMeetAcrossDevices(int devices) {
        Workload workload = BatchNormTest.unevenly().withThreads(Math.max(6, devices));
        NumbersContract.checkTraining(cpus(devices), workload);
        assertThat(trained(cpus(devices), workload)).isEqualTo(trained(cpus(devices), workload));
    }

    /// Each device evaluates with its own running statistics.
    @Test
    void allDevicesEndWithTheSameRunningStatistics() {
        allDevicesEndWithTheSameState(BatchNormTest.unevenly().withThreads(6));
    }

    private static Map<String, String> trained(ParallelDevice device, Workload workload) {
        try (LearningSession session = device.open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 3), 0);
            var unusedLosses = session.advance(workload.stepsPerEpoch());
            return Bits.of(session.save());
        }
    }

    @Test
    void resnet18CifarTrainsAsOnOneDevice() {
        List<LayerSpec> layers = NetworkSpec.named("resnet18-cifar").layers();
        Workload workload = CheckWorkload.of(Shape.of(3, 32, 32), 10, layers, CheckWorkload.MOMENTUM, 6, 12, 4);
        float[] alone = losses(cpus(1).devices().getFirst(), workload);
        float[] together = losses(cpus(2), workload);
        assertThat(together[0]).isCloseTo(alone[0], Offset.offset(1e-5f * alone[0]));
        assertThat(together[1])
                .isCloseTo(alone[1], Offset.offset(1e-2f * alone[1])); // ReLUs near 0: docs/contributing/facts.md
    }

    private static float[] losses(Device device, Workload workload) {
        try (LearningSession session = device.open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            return session.advance(2);
        }
    }

    @Test
    void aDeviceThatCannotComputePartsIsRefused() {
        assertThatThrownBy(() -> ParallelDevice.open(List.of(new DeviceSpec("cpu"), new DeviceSpec("reference"))))
                .isInstanceOf(DeviceException.class)
                .hasMessage(
                        "device reference cannot compute a part of a batch; name one device alone, with \"device\" instead of \"devices\"");
    }

    @Test
    void describesItself() {
        assertThat(cpus(2).info().name()).isEqualTo("cpu+cpu");
        assertThat(cpus(2).info().description()).isEqualTo(cpus(1).info().description());
        assertThat(new ParallelDevice(List.of(new FakePart(0, ""), new FakePart(1, ""))).info())
                .isEqualTo(new DeviceInfo("fake:0+fake:1", "a model", "a fake", 999));
    }

    @Test
    void everyDeviceHasItsOwnThread() {
        FakePart[] fakes = {new FakePart(0, ""), new FakePart(1, ""), new FakePart(2, "")};
        Workload workload = OneDnnDeviceTest.wide(); // two test batches
        try (LearningSession session = new ParallelDevice(List.of(fakes)).open(workload)) {
            assertThat(session.advance(2)).containsExactly(3, 30);
            Evaluation test = session.evaluate();
            assertThat(test.testLoss()).as("one sample's 0 and two samples' 3").isEqualTo(2);
            assertThat(test.testLossSum()).isEqualTo(2);
            assertThat(test.confusion()).isDeepEqualTo(new int[][] {{2, 0}, {0, 1}});
            assertThat(session.predict()).containsExactly(0, 1);
            assertThat(session.save().model().tensors()).isEmpty();
        }
        assertThat(fakes[1].calls())
                .containsExactly(
                        "open 1 of 3",
                        "join 1",
                        "begin 2",
                        "compute",
                        "update",
                        "compute",
                        "update",
                        "end",
                        "evaluate",
                        "predict",
                        "settle",
                        "close");
        assertThat(fakes[0].calls()).contains("save");
        assertThat(fakes[2].calls()).doesNotContain("evaluate", "predict");
        for (FakePart fake : fakes) {
            assertThat(new HashSet<>(fake.callers())).hasSize(1);
        }
        assertThat(Arrays.stream(fakes).map(fake -> fake.callers().element()).distinct())
                .hasSize(3)
                .contains(Thread.currentThread());
    }

    @ParameterizedTest
    @ValueSource(strings = {"open 1 of 3", "join 1"})
    void closesOpenedPartsWhenAnotherFails(String fails) {
        FakePart[] fakes = {new FakePart(0, ""), new FakePart(1, fails), new FakePart(2, "")};
        assertThatThrownBy(() -> new ParallelDevice(List.of(fakes)).open(OneDnnDeviceTest.wide()))
                .isInstanceOf(FakeFailure.class)
                .hasMessage("device 1 failed: " + fails);
        assertThat(fakes[0].calls()).endsWith("close");
        assertThat(fakes[2].calls()).endsWith("close");
        assertThat(fakes[1].calls().contains("close")).isEqualTo(fails.startsWith("join"));
        awaitNoThreads();
    }

    @ParameterizedTest
    @ValueSource(strings = {"compute", "update", "end", "evaluate", "settle", "close"})
    void afterAFailureEveryDeviceIsClosed(String fails) {
        FakePart[] fakes = {new FakePart(0, ""), new FakePart(1, fails), new FakePart(2, "")};
        assertThatThrownBy(() -> {
                    try (LearningSession session = new ParallelDevice(List.of(fakes)).open(OneDnnDeviceTest.wide())) {
                        assertThat(session.advance(2)).hasSize(2);
                        assertThat(session.evaluate().testLossSum()).isEqualTo(2);
                    }
                })
                .isInstanceOf(FakeFailure.class)
                .hasMessage("device 1 failed: " + fails);
        assertThat(fakes).allSatisfy(fake -> assertThat(fake.calls()).endsWith("close"));
        awaitNoThreads();
    }

    @Test
    void closesNoneBeforeAllAreIdle() {
        Queue<String> calls = new ConcurrentLinkedQueue<>();
        List<ShardDevice> fakes = IntStream.range(0, 3)
                .<ShardDevice>mapToObj(i -> new FakePart(i, calls, new ConcurrentLinkedQueue<>(), ""))
                .toList();
        new ParallelDevice(fakes).open(OneDnnDeviceTest.wide()).close();
        assertThat(calls).endsWith("settle", "settle", "settle", "close", "close", "close");
    }

    private static void awaitNoThreads() {
        Patience.await("no thread of a device to be left")
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("trainyard-device")));
    }
}
