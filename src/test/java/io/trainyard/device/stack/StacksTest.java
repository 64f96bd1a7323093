package io.trainyard.device.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.device.vector.VectorDevice;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StacksTest {
    private static final VectorDevice VECTORS =
            new VectorDevice(new DeviceInfo("cpu", "a model", "vectors", Long.MAX_VALUE));
    private static final long LIMIT_SECONDS = Patience.LIMIT.toSeconds();

    /// Of all jobs: they share its data set.
    private static final Workload ALIKE = CheckWorkload.of(
            Shape.of(2, 8, 7),
            3,
            List.of(Layers.conv(4, 3, 1, 1, true), Layers.dropout(0.5), Layers.flatten(), Layers.linear(3, true)),
            CheckWorkload.MOMENTUM,
            4,
            42,
            6);

    private final OneStack stacking = new OneStack(VECTORS, 3);
    private final Stacks stacks = new Stacks();
    private final Device device = stacks.over(stacking);

    private static Workload job(int number) {
        return CheckWorkload.with(ALIKE, new OptimizerSpec.Sgd(0.01 * (1 + number % 5), 0.9, 0.01 * (number % 3)));
    }

    /// How a job is driven: by a plan of random pieces with whatever else a trainer does between them.
    private static SessionState train(LearningSession session, Workload workload, int number, long timing) {
        Random random = new Random(timing);
        session.load(CheckWorkload.state(workload));
        for (int epoch = 0; epoch < 3; epoch++) {
            EpochPlan plan = CheckWorkload.plan(workload, number * 10L + epoch);
            session.beginEpoch(plan, 0);
            for (int step = 0; step < workload.stepsPerEpoch(); ) {
                int steps = 1 + random.nextInt(workload.stepsPerEpoch() - step);
                assertThat(session.advance(steps)).hasSize(steps);
                step += steps;
                if (random.nextInt(3) == 0) {
                    session.load(session.save());
                }
            }
            if (random.nextBoolean()) {
                assertThat(session.evaluate().testLoss()).isFinite();
            }
        }
        return session.save();
    }

    private static SessionState train(Device device, Workload workload, int number, long timing) {
        try (LearningSession session = device.open(workload)) {
            return train(session, workload, number, timing);
        }
    }

    /// The sessions are all there before one of them trains.
    private SessionState trainWithOthers(CyclicBarrier others, int number, long timing) throws Exception {
        Workload workload = job(number);
        try (LearningSession session = device.open(workload)) {
            var _ = others.await(LIMIT_SECONDS, TimeUnit.SECONDS);
            return train(session, workload, number, timing);
        }
    }

    private static <T> List<T> atOnce(List<Callable<T>> tasks) throws Exception {
        List<T> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
            for (var result : threads.invokeAll(tasks, LIMIT_SECONDS, TimeUnit.SECONDS)) {
                results.add(result.get());
            }
        }
        return results;
    }

    /// More jobs than a stack has places, so that there are two.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void bitsDoNotDependOnWhoIsTrainedWithWhom(long seed) throws Exception {
        int jobs = stacking.stackRoom().places() + 4;
        CyclicBarrier others = new CyclicBarrier(jobs);
        List<Callable<SessionState>> tasks = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            int number = i;
            tasks.add(() -> trainWithOthers(others, number, seed * 100 + number));
        }
        List<SessionState> together = atOnce(tasks);
        for (int i = 0; i < jobs; i++) {
            SessionState alone = train(VECTORS, job(i).withThreads(1), i, 0);
            assertThat(together.get(i).model().sha256())
                    .as("job %d", i)
                    .isEqualTo(alone.model().sha256());
        }
        assertThat(stacking.rounds()).isPositive();
        assertThat(stacks.steps()).isPositive();
        assertThat(stacks.count()).isZero();
    }

    @Test
    void aJobWithoutOthersWaitsForNobody() {
        Workload workload = job(0);
        long begin = System.nanoTime();
        var _ = train(device, workload, 0, 0);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
        assertThat(stacking.rounds()).isZero();
        assertThat(stacks.steps()).isZero();
    }

    /// And counts as that until it is closed, or goes on by itself.
    @Test
    void whoIsTrainedWithOthersIsKnown() throws Exception {
        Device patient = stacks.over(new OneStack(VECTORS, 3, Patience.LIMIT));
        int full = ALIKE.dataset().train().size() / ALIKE.batchSize();
        List<LearningSession> sessions = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            LearningSession session = patient.open(job(i));
            session.load(CheckWorkload.state(job(i)));
            session.beginEpoch(CheckWorkload.plan(job(i), i), 0);
            sessions.add(session);
        }
        assertThat(stacks.trainedTogether()).isZero();
        var _ = atOnce(sessions.stream()
                .map(session -> (Callable<float[]>) () -> session.advance(full))
                .toList());
        assertThat(stacks.steps()).isEqualTo(3L * full);
        assertThat(stacks.trainedTogether()).isEqualTo(3);
        sessions.getLast().close();
        assertThat(stacks.trainedTogether()).isEqualTo(2);
        sessions.getFirst().beginEpoch(CheckWorkload.plan(job(0), 5), 0);
        var _ = sessions.getFirst().advance(full);
        assertThat(stacks.trainedTogether()).isOne();
        sessions.forEach(LearningSession::close);
        assertThat(stacks.trainedTogether()).isZero();
    }

    @Test
    void jobsOfOtherProgramsAreNotStackedWithThem() {
        Workload larger = CheckWorkload.of(
                ALIKE.dataset(),
                List.of(Layers.conv(5, 3, 1, 1, true), Layers.flatten(), Layers.linear(3, true)),
                CheckWorkload.MOMENTUM,
                4);
        try (LearningSession _ = device.open(job(0));
                LearningSession _ = device.open(job(1));
                LearningSession _ = device.open(larger)) {
            assertThat(stacks.count()).isEqualTo(2);
        }
        assertThat(stacks.count()).isZero();
    }

    @Test
    void aSessionForTestsIsByItself() {
        try (LearningSession session = device.open(job(0).forTests())) {
            assertThat(session).isNotInstanceOf(StackedSession.class);
        }
    }

    /// What a session refuses by itself it refuses in a stack.
    @Test
    void refusesMoreStepsThanTheEpochHas() {
        Workload workload = job(0);
        try (LearningSession session = device.open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            assertThatThrownBy(() -> session.advance(workload.stepsPerEpoch() + 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cannot advance");
        }
    }

    @Test
    void whatFailsInOneJobHurtsNoOther() throws Exception {
        List<Callable<String>> tasks = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            tasks.add(() -> number == 2
                    ? trainBroken(number)
                    : train(device, job(number), number, 7).model().sha256());
        }
        List<String> results = atOnce(tasks);
        assertThat(results.get(2)).startsWith("failed");
        for (int number : new int[] {0, 1, 3, 4}) {
            assertThat(results.get(number))
                    .isEqualTo(train(VECTORS, job(number).withThreads(1), number, 0)
                            .model()
                            .sha256());
        }
    }

    private String trainBroken(int number) {
        Workload workload = job(number);
        try (LearningSession session = device.open(workload)) {
            EpochPlan plan = CheckWorkload.plan(workload, 1);
            plan.order()[9] = 1_000_000;
            session.beginEpoch(plan, 0);
            assertThatThrownBy(() -> session.advance(5)).isInstanceOf(IndexOutOfBoundsException.class);
            return "failed, as it must";
        }
    }
}
