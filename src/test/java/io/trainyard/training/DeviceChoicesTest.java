package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.data.DataRoots;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceChoices;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.Devices;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobSpec;
import io.trainyard.worker.LogRecords;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A CPU device that seems to choose algorithms by timing, another each time.
class DeviceChoicesTest extends SmallJobs {
    private static final String WHAT = "FORWARD of a convolution";

    /// The choices that each session was opened with, in order.
    private final List<DeviceChoices> given = new ArrayList<>();

    @Test
    void aResumedJobKeepsItsDeviceChoices() {
        JobSpec job = job("a");
        assertThat(run(training("an H100"), job, stopAfterQuestions(3))).isInstanceOf(Outcome.Released.class);
        assertThat(run(training("an H100"), job, stopAfterQuestions(3))).isInstanceOf(Outcome.Released.class);
        assertThat(run(training("an H100"), job, () -> false)).isInstanceOf(Outcome.Finished.class);
        DeviceChoices chosen = new DeviceChoices(Map.of("an H100", Map.of(WHAT, "engine 1")));
        assertThat(given).containsExactly(DeviceChoices.NONE, chosen, chosen);
    }

    @Test
    void deviceChoicesSurviveAnAttemptWithoutCheckpoint() {
        JobSpec job = job("c");
        assertThatThrownBy(() -> run(training("an H100"), job, () -> {
                    throw new SupervisorException("gone", null);
                }))
                .hasMessage("gone");
        assertThat(run(training("an H100"), job, () -> false)).isInstanceOf(Outcome.Finished.class);
        assertThat(given)
                .containsExactly(DeviceChoices.NONE, new DeviceChoices(Map.of("an H100", Map.of(WHAT, "engine 1"))));
    }

    @Test
    void concurrentAttemptsAgreeOnDeviceChoices() {
        JobSpec job = job("d");
        DeviceChoices first = new DeviceChoices(Map.of("an H100", Map.of(WHAT, "engine 7")));
        JobTraining second =
                training("an H100", () -> assertThat(folder("d").keep(first)).isEqualTo(first));
        assertThat(run(second, job, () -> false)).isInstanceOf(Outcome.Finished.class);
        assertThat(given).containsExactly(DeviceChoices.NONE, first);
    }

    @Test
    void anotherKindOfDeviceChoosesAgainAndLogsIt() {
        JobSpec job = job("b");
        try (LogRecords log = LogRecords.of(JobTraining.class)) {
            assertThat(run(training("an H100"), job, stopAfterQuestions(3))).isInstanceOf(Outcome.Released.class);
            assertThat(log.messages()).isEmpty();
            assertThat(run(training("an L4"), job, stopAfterQuestions(3))).isInstanceOf(Outcome.Released.class);
            assertThat(log.messages())
                    .containsExactly(
                            "job=b attempt=2 continues with newly chosen algorithms for \"an L4\"; the earlier ones were for [an H100], so the last bits of its numbers may differ from here on");
            assertThat(run(training("an H100"), job, () -> false)).isInstanceOf(Outcome.Finished.class);
            assertThat(log.messages()).as("back where it was").hasSize(1);
        }
        assertThat(given.getLast())
                .isEqualTo(new DeviceChoices(
                        Map.of("an H100", Map.of(WHAT, "engine 1"), "an L4", Map.of(WHAT, "engine 2"))));
    }

    private static JobSpec job(String id) {
        return job(id, """
                "epochs": 3, "batchSize": 1500, "shuffle": true,
                "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}""");
    }

    private JobTraining training(String kind) {
        return training(kind, () -> {});
    }

    private JobTraining training(String kind, Runnable opening) {
        Device cpu = Devices.open(new DeviceSpec("cpu"));
        return new JobTraining(
                DataRoots.ofFolder(root), _ -> new ChoosingDevice(cpu, kind, given, opening), 1, "tester");
    }

    private record ChoosingDevice(Device cpu, String kind, List<DeviceChoices> given, Runnable opening)
            implements Device {
        @Override
        public DeviceInfo info() {
            return cpu.info();
        }

        @Override
        public LearningSession open(Workload workload) {
            opening.run();
            given.add(workload.choices());
            LearningSession session = cpu.open(workload);
            DeviceChoices anew =
                    new DeviceChoices(Map.of(kind, Map.of(WHAT, "engine " + given.size()))).with(workload.choices());
            return (LearningSession) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {LearningSession.class}, (_, method, arguments) -> {
                        if (method.getName().equals("choices")) {
                            return anew;
                        }
                        try {
                            return method.invoke(session, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }
}
