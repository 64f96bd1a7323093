package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.OptimizerSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Equal states and plans give equal bits.
interface DeterminismContract extends TestedDevice {
    int SIDE_BY_SIDE = 3;

    @Test
    default void evaluationChangesNothing() {
        Workload workload = eventful();
        SessionRun plain = run(workload, session -> session.advance(3), session -> session.advance(2));
        SessionRun tested = run(
                workload,
                session -> {
                    Evaluation first = session.evaluate();
                    assertThat(session.evaluate().testLoss()).isEqualTo(first.testLoss());
                    return session.advance(3);
                },
                session -> {
                    assertThat(session.evaluate().accuracy()).isBetween(0.0, 1.0);
                    return session.advance(2);
                });
        assertThat(tested).isEqualTo(plain);
    }

    @Test
    default void theDivisionIntoCallsChangesNoBit() {
        Workload workload = eventful();
        SessionRun whole = run(workload, session -> session.advance(5));
        SessionRun single = run(
                workload,
                session -> session.advance(1),
                session -> session.advance(1),
                session -> session.advance(1),
                session -> session.advance(0),
                session -> session.advance(1),
                session -> session.advance(1));
        assertThat(single).isEqualTo(whole);
        assertThat(run(workload, session -> session.advance(2), session -> session.advance(3)))
                .isEqualTo(whole);
    }

    @Test
    default void concurrentSessionsAreIndependent() {
        Workload workload = eventful();
        SessionRun alone = run(workload, session -> session.advance(5));
        try (LearningSession other = device().open(workload)) {
            other.load(CheckWorkload.state(workload));
            other.beginEpoch(CheckWorkload.plan(workload, 99), 0);
            SessionRun together = run(
                    workload,
                    session -> {
                        assertThat(other.advance(2)).hasSize(2);
                        return session.advance(2);
                    },
                    session -> {
                        assertThat(other.advance(3)).hasSize(3);
                        return session.advance(3);
                    });
            assertThat(together).isEqualTo(alone);
        }
    }

    /// Models the concurrent jobs of a worker: each session opens, computes and closes while others do.
    @Test
    default void sessionsOnSeparateThreadsAreIndependent() {
        Workload workload = eventful();
        SessionRun alone = run(workload, session -> session.advance(5));
        try (ExecutorService threads = Executors.newFixedThreadPool(SIDE_BY_SIDE)) {
            List<Future<SessionRun>> runs = IntStream.range(0, 3 * SIDE_BY_SIDE)
                    .mapToObj(_ -> threads.submit(
                            () -> run(workload, session -> session.advance(2), session -> session.advance(3))))
                    .toList();
            for (Future<SessionRun> run : runs) {
                assertThat(run).succeedsWithin(Patience.LIMIT).isEqualTo(alone);
            }
        }
    }

    @Test
    default void theChosenNumberOfThreadsGivesTheSameBitsIfRequested() {
        Workload workload = eventful();
        int threads;
        try (LearningSession session = device().open(workload)) {
            threads = session.threads();
        }
        assertThat(threads).isPositive();
        try (LearningSession session = device().open(workload.withThreads(threads))) {
            assertThat(session.threads()).isEqualTo(threads);
        }
        assertThat(run(workload.withThreads(threads), session -> session.advance(5)))
                .isEqualTo(run(workload, session -> session.advance(5)));
    }

    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.CheckWorkload#optimizers")
    default void resumesWithinAnEpochWithTheSameBits(OptimizerSpec optimizer) {
        Workload workload = eventful().withOptimizer(optimizer);
        SessionRun whole = twoEpochs(workload);
        SessionState middle;
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            assertThat(session.advance(5)).hasSize(5);
            session.beginEpoch(CheckWorkload.plan(workload, 2), 0);
            assertThat(session.advance(2)).hasSize(2);
            middle = session.save();
            assertThat(session.advance(1)).hasSize(1); // must not change the saved state
        }
        try (LearningSession session = device().open(workload)) {
            session.load(middle);
            assertThat(Bits.of(session.save())).isEqualTo(Bits.of(middle));
            EpochPlan plan = CheckWorkload.plan(workload, 2);
            session.beginEpoch(plan, 2);
            float[] losses = session.advance(3);
            assertThat(new SessionRun(losses, session, plan)).isEqualTo(whole);
        }
    }

    private SessionRun twoEpochs(Workload workload) {
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            assertThat(session.advance(5)).hasSize(5);
            EpochPlan plan = CheckWorkload.plan(workload, 2);
            session.beginEpoch(plan, 0);
            assertThat(session.advance(2)).hasSize(2);
            float[] losses = session.advance(3);
            return new SessionRun(losses, session, plan);
        }
    }

    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.CheckWorkload#optimizers")
    default void loadingReplacesTheWholeState(OptimizerSpec optimizer) {
        Workload workload = eventful().withOptimizer(optimizer);
        SessionRun fresh = run(workload, session -> session.advance(5));
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 5), 0);
            assertThat(session.advance(4)).hasSize(4);

            session.load(CheckWorkload.state(workload)); // the optimizer state is empty and starts from zero
            EpochPlan plan = CheckWorkload.plan(workload, 1);
            session.beginEpoch(plan, 0);
            assertThat(new SessionRun(session.advance(5), session, plan)).isEqualTo(fresh);
        }
    }

    @Test
    default void theGeneratorEndsAfterTheEpochsMasks() {
        Workload workload = eventful();
        EpochPlan plan = CheckWorkload.plan(workload, 1);
        TorchRandom expected = TorchRandom.restore(plan.random().state());
        expected.skip(workload.drawnWords(workload.stepsPerEpoch()));
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(plan, 0);
            assertThat(session.advance(5)).hasSize(5);
        }
        assertThat(plan.random().state()).isEqualTo(expected.state());
    }

    interface Steps {
        float[] train(LearningSession session);
    }

    /// All bits that a run produces: losses, state and generator.
    record SessionRun(List<Integer> losses, Map<String, String> state, List<Long> generator) {
        SessionRun(float[] losses, LearningSession session, EpochPlan plan) {
            this(
                    IntStream.of(Bits.of(losses)).boxed().toList(),
                    Bits.of(session.save()),
                    LongStream.of(plan.random().state()).boxed().toList());
        }
    }

    private SessionRun run(Workload workload, Steps... parts) {
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            EpochPlan plan = CheckWorkload.plan(workload, 1);
            session.beginEpoch(plan, 0);
            List<Float> losses = new ArrayList<>();
            for (Steps part : parts) {
                for (float loss : part.train(session)) {
                    losses.add(loss);
                }
            }
            return new SessionRun(TestState.toFloats(losses), session, plan);
        }
    }
}
