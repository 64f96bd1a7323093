package io.trainyard.training;

import static io.trainyard.event.SampleEvents.released;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.data.DataRoots;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceLostException;
import io.trainyard.device.Devices;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobSpec;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/// A CPU device that is lost at times.
class DeviceLossTest extends SmallJobs {
    private static final String REASON = "device cpu is gone: its cable came loose";

    @Test
    void resumesWithTheSameBitsAfterADeviceLoss() {
        assertThat(train("whole", () -> false)).isInstanceOf(Outcome.Finished.class);
        Finished whole = (Finished) events.getLast();
        List<EpochTested> tests = of(EpochTested.class);
        events.clear();

        int[] epochs = {0};
        BooleanSupplier inSecondEpoch = () -> ++epochs[0] == 2;
        assertThat(train("cut", inSecondEpoch)).isInstanceOf(Outcome.DeviceLost.class);
        assertThat(train("cut", inSecondEpoch)).as("by another process").isInstanceOf(Outcome.Finished.class);
        Released lost = of(Released.class).getFirst();
        Finished cut = (Finished) events.getLast();
        assertThat(of(Released.class)).hasSize(1);
        assertThat(lost).isEqualTo(released("cut", 1, tests.getFirst().step(), REASON));
        assertThat(of(Started.class)).extracting(Started::firstStep).containsExactly(1L, lost.step() + 1);
        assertThat(cut.attempt()).isEqualTo(2);
        assertThat(cut.parametersSha256()).isEqualTo(whole.parametersSha256());
        assertThat(of(EpochTested.class))
                .extracting(EpochTested::testLoss)
                .containsExactlyElementsOf(
                        tests.stream().map(EpochTested::testLoss).toList());
    }

    @Test
    void aJobThatNeverReachesACheckpointFails() {
        for (int i = 0; i < AttemptLimits.DEFAULT.maxAttempts(); i++) {
            assertThat(train("a", () -> true)).isInstanceOf(Outcome.DeviceLost.class);
        }
        assertThat(train("a", () -> true))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.event().reason())
                                .contains("5 attempts in a row ended without a checkpoint", "lose their device"));
        assertThat(of(Released.class)).hasSize(AttemptLimits.DEFAULT.maxAttempts());
        assertThat(events.getLast()).isInstanceOf(Failed.class);
    }

    @Test
    void reportsTheDeviceLossOnce() {
        assertThat(run(training(() -> true), job("a"), () -> false))
                .isEqualTo(new Outcome.DeviceLost(released("a", 1, 0, REASON)));
        assertThat(events.getLast()).isEqualTo(released("a", 1, 0, REASON));
    }

    /// A runner that retries attempts has no device left for another one.
    private Outcome train(String id, BooleanSupplier loose) {
        return training(loose).runToEnd(job(id), folder(id), Supervisor.of(events::add, () -> false));
    }

    private JobTraining training(BooleanSupplier loose) {
        Device cpu = Devices.open(new DeviceSpec("cpu"));
        return new JobTraining(DataRoots.ofFolder(root), _ -> new LooseDevice(cpu, loose), 1, "tester");
    }

    private static JobSpec job(String id) {
        return job(id, """
                "epochs": 3, "batchSize": 1500, "shuffle": true,
                "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}""");
    }

    private record LooseDevice(Device cpu, BooleanSupplier loose) implements Device {
        @Override
        public DeviceInfo info() {
            return cpu.info();
        }

        @Override
        public LearningSession open(Workload workload) {
            return loosened(cpu.open(workload), loose);
        }
    }

    /// @param loose checked at the beginning of each epoch: whether its first steps lose the device
    private static LearningSession loosened(LearningSession session, BooleanSupplier loose) {
        boolean[] lost = {false};
        return (LearningSession) Proxy.newProxyInstance(
                DeviceLossTest.class.getClassLoader(),
                new Class<?>[] {LearningSession.class},
                (_, method, arguments) -> {
                    if (method.getName().equals("beginEpoch")) {
                        lost[0] = loose.getAsBoolean();
                    } else if (method.getName().equals("advance") && lost[0]) {
                        throw new DeviceLostException(REASON);
                    }
                    try {
                        return method.invoke(session, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
