package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.device.LearningSession;
import io.trainyard.device.StackedSteps;
import io.trainyard.device.StackedSteps.Trained;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckGroup;
import io.trainyard.device.check.CheckOutcome.Passed;
import io.trainyard.device.check.CheckOutcome.Skipped;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.DeviceCheck;
import io.trainyard.device.check.DeviceChecks;
import io.trainyard.device.stack.OneStack;
import io.trainyard.device.stack.Stacks;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.OptimizerSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Whole steps of many models in one launch.
@OnDouble
final class CudaStackDoubleTest {
    /// Of full batches in an epoch of [StepKernelContract#eventful].
    private static final int FULL_STEPS = 4;

    @AfterEach
    void leaveTheDefault() {
        NativeDouble.set(TestedCuda.CAPABILITY, "");
    }

    private static CudaDevice device(int capability) {
        NativeDouble.set(TestedCuda.CAPABILITY, Integer.toString(capability));
        return (CudaDevice) new CudaBackend().open(new DeviceSpec("cuda:0"));
    }

    /// Jobs that differ in numbers only; all with dropout and augmentation.
    private static final Workload ALIKE = new StepsInClusterDoubleTest().eventful();

    private static Workload job(int number) {
        return CheckWorkload.with(
                ALIKE, new OptimizerSpec.Sgd(0.01 * (1 + number % 5), 0.9 - 0.1 * number, 0.01 * (number % 3)));
    }

    private static LearningSession begun(CudaDevice device, int number) {
        LearningSession session = device.open(job(number));
        session.load(CheckWorkload.state(job(number)));
        session.beginEpoch(CheckWorkload.plan(job(number), number), 0);
        return session;
    }

    private static List<Object> alone(CudaDevice device, int number) {
        try (LearningSession session = begun(device, number)) {
            float[] losses = session.advance(FULL_STEPS);
            return List.of(Arrays.toString(Bits.of(losses)), Bits.of(session.save()));
        }
    }

    @ParameterizedTest
    @CsvSource({"90, train_stack_in_clusters", "80, train_stack"})
    void aLaunchOfManyGivesTheBitsOfEachByItself(int capability, String kernel) {
        CudaDevice device = device(capability);
        List<@Nullable LearningSession> sessions = new ArrayList<>();
        sessions.addAll(Collections.nCopies(CudaStack.PLACES, null));
        for (int place : new int[] {0, 3, 4}) {
            sessions.set(place, begun(device, place));
        }
        long launches = NativeDouble.calls("kernel " + kernel);
        try (StackedSteps stack = device.stack(ALIKE)) {
            List<@Nullable Trained> first = stack.advance(sessions, 1);
            List<@Nullable Trained> rest = stack.advance(sessions, FULL_STEPS - 1);
            assertThat(NativeDouble.calls("kernel " + kernel) - launches).isEqualTo(2);
            for (int place : new int[] {0, 3, 4}) {
                float[] losses = Arrays.copyOf(losses(first.get(place)), FULL_STEPS);
                System.arraycopy(losses(rest.get(place)), 0, losses, 1, FULL_STEPS - 1);
                LearningSession session = sessions.get(place);
                assertThat(List.of(Arrays.toString(Bits.of(losses)), Bits.of(session.save())))
                        .isEqualTo(alone(device, place));
                session.close();
            }
        }
    }

    private static float[] losses(@Nullable Trained trained) {
        return switch (trained) {
            case null -> throw new AssertionError("nothing came of it");
            case Trained.Steps(float[] losses) -> losses;
            case Trained.Failed(RuntimeException cause) -> throw cause;
        };
    }

    /// Through the device that workers have, whole epochs with their last, smaller batches. They wait for one another
    /// as
    /// long as it takes.
    @Test
    void jobsAtOnceAreLaunchedTogether() throws Exception {
        CudaDevice device = device(90);
        OneStack patient = new OneStack(device, 2, Patience.LIMIT);
        Stacks stacks = new Stacks();
        CyclicBarrier all = new CyclicBarrier(3);
        List<Callable<String>> tasks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            tasks.add(() -> {
                try (LearningSession session = stacks.over(patient).open(job(number))) {
                    return train(session, number, () -> all.await(2, TimeUnit.MINUTES));
                }
            });
        }
        List<String> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
            for (var result : threads.invokeAll(tasks, 4, TimeUnit.MINUTES)) {
                results.add(result.get());
            }
        }
        assertThat(patient.most()).isEqualTo(3);
        for (int number = 0; number < results.size(); number++) {
            try (LearningSession session = device.open(job(number))) {
                assertThat(results.get(number)).isEqualTo(train(session, number, () -> 0));
            }
        }
    }

    /// @param ready waits until all are where the first steps come next: who loads is not waited for
    private static String train(LearningSession session, int number, Callable<Integer> ready) throws Exception {
        session.load(CheckWorkload.state(job(number)));
        for (int epoch = 0; epoch < 3; epoch++) {
            session.beginEpoch(CheckWorkload.plan(job(number), number), 0);
            if (epoch == 0) {
                var _ = ready.call();
            }
            assertThat(session.advance(ALIKE.stepsPerEpoch())).hasSize(ALIKE.stepsPerEpoch());
        }
        return session.save().model().sha256();
    }

    /// The first and the last of those that `check-device` asks of a GPU: all of them take minutes here.
    @Test
    void passesItsChecks() {
        List<DeviceCheck> checks = DeviceChecks.of(device(90), Set.of(CheckGroup.STACKS));
        assertThat(checks).extracting(DeviceCheck::name).contains("fp32, lenet, batches of 4", "bf16");
        assertThat(checks.getFirst().body().get()).isInstanceOf(Passed.class);
        assertThat(checks.getLast().body().get()).isInstanceOf(Skipped.class);
    }
}
