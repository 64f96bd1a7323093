package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.evaluated;
import static io.trainyard.event.SampleEvents.evaluation;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.on;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Shape;
import io.trainyard.sweep.SweepView;
import io.trainyard.sweep.Trials;
import io.trainyard.tracking.Curve;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.TrackingStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobHistoryTest {
    private static final long NOW = 1_750_000_000_000L;

    private final TrackingStore store = TrackingStore.open(Databases.SQLITE.empty());
    private final JobHistory history = history(store);

    private static JobHistory history(TrackingStore store) {
        return new JobHistory(store, new SourceStatus(), new JobHistory.Limits(3, 2, 10_000, 60_000));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static WorkerStatus worker(String id, boolean stopping) {
        return WorkerStatusBuilder.of(id, "cpu")
                .job("a", 1)
                .samplesPerSecond(1234.5)
                .memoryBytes(1 << 28)
                .stopping(stopping)
                .build();
    }

    private void apply(TrainingEvent event, long millis) {
        apply(new EventRecord(event, millis));
    }

    private void apply(JobRecord jobRecord) {
        history.apply(List.of(jobRecord), Map.of());
    }

    private long lossesOf(String job) {
        return steps(job, Long.MAX_VALUE).size();
    }

    /// The steps with losses, once per loss.
    private List<Long> steps(String job, long to) {
        Curve curve = store.losses(job, 1, to, 1000).orElseThrow();
        List<Long> steps = new ArrayList<>();
        for (int i = 0; i < curve.buckets().size(); i++) {
            steps.addAll(Collections.nCopies(curve.buckets().count(i), curve.firstStep(i)));
        }
        return steps;
    }

    @Test
    void foldsAJob() {
        apply(claimed("a", 1), NOW);
        apply(started("a", 1, 1), NOW + 1);
        apply(losses("a", 1, 0, 1, 10), NOW + 2);
        apply(tested("a", 1, 0, 10, 0.5), NOW + 3);

        assertThat(history.since(0, NOW).jobs()).singleElement().satisfies(job -> {
            assertThat(job.status()).isEqualTo(Status.RUNNING);
            assertThat(job.network()).isEqualTo("lenet");
            assertThat(job.dataset()).isEqualTo("shapes32");
            assertThat(job.step()).isEqualTo(10);
            assertThat(job.steps()).isEqualTo(20);
            assertThat(job.epochsDone()).isEqualTo(1);
            assertThat(job.testAccuracy()).isEqualTo(0.5);
            assertThat(job.firstSeenMillis()).isEqualTo(NOW);
        });
        JobDetail detail = history.job("a").orElseThrow();
        assertThat(detail.confusion()).hasDimensions(10, 10);
        assertThat(detail.classMetrics()).hasSize(10);
        assertThat(detail.tests().getLast().macro()).isNotNull();
        assertThat(history.job("a").orElseThrow().command()).contains("\"batchSize\":8");
        assertThat(lossesOf("a")).isEqualTo(10);
        assertThat(history.job("b")).isEmpty();
        assertThat(store.losses("b", 1, 9, 9)).isEmpty();
    }

    @Test
    void theJobsOfAGroupAreComparedBestFirst() {
        List<JobSpec> trials = Trials.of(JobJson.read("""
                {"id": "r_tes", "network": "lenet", "dataset": "shapes32", "epochs": 2, "asha": {"reductionFactor": 3}, "sweep": {"seed": [1, 2, 3]}}""".getBytes(StandardCharsets.UTF_8)));
        trials.forEach(trial -> apply(new Requested(trial.id(), trial, "commands.normal-0@1", NOW)));
        apply(new Requested("other", spec("other"), "commands.normal-0@2", NOW));
        apply(claimed(trials.get(1).id(), 1), NOW);
        apply(tested(trials.get(1).id(), 1, 0, 10, 0.75), NOW + 1);
        apply(tested(trials.get(1).id(), 1, 1, 20, 0.5), NOW + 2);
        apply(claimed(trials.get(0).id(), 1), NOW);
        apply(tested(trials.get(0).id(), 1, 0, 10, 0.625), NOW + 3);
        apply(new TrainingEvent.Paused(trials.get(0).id(), 1, 10, 1, "others are better"), NOW + 4);

        SweepView sweep = history.sweep("r_tes").orElseThrow();
        assertThat(sweep.fields()).containsExactly("seed");
        assertThat(sweep.trials())
                .extracting(SweepView.Trial::job)
                .containsExactly("r_tes.2-s2", "r_tes.1-s1", "r_tes.3-s3");
        assertThat(sweep.trials().getFirst().best()).isEqualTo(0.75);
        assertThat(sweep.trials().getFirst().last()).isEqualTo(0.5);
        assertThat(sweep.trials().get(1).reason()).isEqualTo("others are better");
        assertThat(history.group("r_tes")).hasSize(3);
        assertThat(history.sweep("rates")).as("a _ is one").isEmpty();
        assertThat(history.sweep("rXtes")).as("and nothing else").isEmpty();
    }

    /// lenet needs 1,602,360 multiply-adds per image.
    @Test
    void reportsTheUsedPartOfTheDevicesPeak() {
        JobSpec spec = JobJson.read("""
                {"id": "a", "network": "lenet", "dataset": "shapes32", "epochs": 2, "precision": "tf32",
                 "devices": ["cuda:0", "cuda:1"]}""".getBytes(StandardCharsets.UTF_8));
        apply(on("cpu", "Some Processor", started(spec, 1, 1, 10, null)), NOW);
        apply(tested("a", 1, 0, 10, 0.5), NOW + 1);
        apply(on("cuda:0+cuda:1", "NVIDIA H200", started(spec, 2, 11, 10, null)), NOW + 2);
        apply(tested("a", 2, 1, 20, 0.7), NOW + 3);
        JobDetail detail = history.job("a").orElseThrow();
        assertThat(detail.flopsPerSample()).isEqualTo(3_204_720);
        assertThat(detail.attempts()).extracting(AttemptSpan::model).containsExactly("Some Processor", "NVIDIA H200");
        assertThat(detail.attempts()).extracting(AttemptSpan::peakFlops).containsExactly(null, 989e12);
        double flops = 3_204_720 * 6_543.2;
        assertThat(detail.tests()).extracting(JobDetail.Test::flopsPerSecond).containsExactly(flops, flops);
        assertThat(detail.tests()).extracting(JobDetail.Test::mfu).containsExactly(null, flops / 989e12);
        assertThat(detail.tests())
                .allSatisfy(test -> assertThat(test.epoch().epochTime()).isNotNull());
    }

    /// The dashboard has no data root; rows of 3 features with 3x2 weights take 6 multiply-adds.
    @Test
    void showsTheDatasetFromItsStartEvent() {
        JobSpec spec = JobJson.read("""
                {"id": "a", "network": {"layers": [{"type": "linear", "out": 2}]}, "dataset": "leaves", "epochs": 2}""".getBytes(StandardCharsets.UTF_8));
        apply(new Requested("a", spec, "commands-0 at offset 1", NOW));
        assertThat(history.job("a").orElseThrow().classNames()).isNull();
        assertThat(history.job("a").orElseThrow().flopsPerSample()).isNull();
        apply(
                on(new TrainingEvent.Dataset(Shape.of(3), List.of("ash", "oak")), started(spec, 1, 1, 10, null)),
                NOW + 1);
        assertThat(history.job("a").orElseThrow().classNames()).containsExactly("ash", "oak");
        assertThat(history.job("a").orElseThrow().flopsPerSample()).isEqualTo(2 * 2 * 6);
    }

    /// Tests after steps 10, 20 and 30, and a checkpoint at 35.
    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', textBlock = """
        ``                               , 10 20* 30 35
        `, "keepLast": 1`                , 35
        `, "keepLast": 3`                , 20* 30 35
        `, "keepLast": 1, "keepBest": true`, 20* 35
        """)
    void listsTheCheckpointsThatRetentionKeepsAndMarksTheBest(String fields, String expected) {
        JobSpec spec = JobJson.read("""
                {"id": "a", "network": "lenet", "dataset": "shapes32", "epochs": 4%s}""".formatted(fields).getBytes(StandardCharsets.UTF_8));
        apply(started(spec, 1, 1, 10, null), NOW);
        double[] accuracies = {0.3, 0.8, 0.8};
        for (int epoch = 0; epoch < 3; epoch++) {
            int step = 10 * (epoch + 1);
            apply(tested("a", 1, epoch, step, accuracies[epoch]), NOW + step);
            apply(saved("a", 1, epoch, step), NOW + step + 1);
        }
        apply(saved("a", 1, 3, 35), NOW + 35);
        assertThat(history.job("a").orElseThrow().checkpoints().stream()
                        .map(saved -> saved.step() + (saved.best() ? "*" : ""))
                        .collect(Collectors.joining(" ")))
                .isEqualTo(expected);
    }

    @Test
    void evaluationsAndInvalidNetworksHaveNoFlops() {
        apply(started(evaluation("check", new CheckpointName("a", 20L)), 1, 1, 0, null), NOW);
        apply(evaluated("check", 1, 20, 0.5), NOW + 1);
        JobDetail check = history.job("check").orElseThrow();
        assertThat(check.flopsPerSample()).isNull();
        assertThat(check.tests()).extracting(JobDetail.Test::flopsPerSecond).containsOnlyNulls();
        JobSpec misfit = JobJson.read("""
                {"id": "b", "network": "signs", "dataset": "shapes28", "epochs": 2}""".getBytes(StandardCharsets.UTF_8));
        apply(new Requested("b", misfit, "commands-0 at offset 1", NOW));
        assertThat(history.job("b").orElseThrow().flopsPerSample()).isNull();
    }

    @Test
    void showsJobsThatWaitAndThatWereRejected() {
        apply(new Requested("waits", spec("waits"), "commands-0 at offset 1", NOW));
        apply(new Requested("refused", null, "commands-0 at offset 2", NOW + 1));
        apply(new Rejected("refused", "commands-0 at offset 2", "it is not JSON", NOW + 2));
        assertThat(history.since(0, NOW).jobs()).extracting(JobSummary::job).containsExactly("refused", "waits");
        assertThat(history.since(0, NOW).jobs())
                .extracting(JobSummary::status)
                .containsExactly(Status.REJECTED, Status.QUEUED);
        assertThat(history.since(0, NOW).jobs()).extracting(JobSummary::reason).containsExactly("it is not JSON", null);
        assertThat(history.since(0, NOW).jobs()).extracting(JobSummary::network).containsExactly(null, "lenet");
        assertThat(history.since(0, NOW).jobs()).extracting(JobSummary::epochs).containsExactly(0, 2);
        assertThat(history.job("waits").orElseThrow().command()).contains("\"batchSize\":8");
        assertThat(history.job("refused").orElseThrow().command()).isNull();

        apply(claimed("waits"), NOW + 3);
        assertThat(history.since(0, NOW).jobs())
                .extracting(JobSummary::status)
                .containsExactly(Status.REJECTED, Status.RUNNING);
        assertThat(history.since(0, NOW).jobs())
                .extracting(JobSummary::firstSeenMillis)
                .containsExactly(NOW + 1, NOW);
    }

    @Test
    void showsTheCheckpointOfAWaitingEvaluation() {
        JobSpec evaluation = evaluation("check", new CheckpointName("a", 20L));
        apply(new Requested("check", evaluation, "commands-0 at offset 1", NOW));
        assertThat(history.since(0, NOW).jobs())
                .extracting(JobSummary::initFrom)
                .containsExactly("a/20");
    }

    @Test
    void theFinishedJobWithTheOldestEventIsRemovedFirst() {
        apply(claimed("running", 1), NOW);
        apply(finished("old", 1, 20), NOW + 1);
        apply(finished("new", 1, 20), NOW + 2);
        apply(claimed("next", 1), NOW + 3);
        assertThat(history.since(0, NOW).jobs()).extracting(JobSummary::job).containsExactly("next", "new", "running");

        long version = history.since(0, NOW).version();
        apply(losses("old", 1, 0, 1, 10), NOW); // losses that are read after the job's end
        assertThat(history.since(0, NOW).jobs()).extracting(JobSummary::job).containsExactly("next", "new", "running");
        assertThat(history.since(version, NOW).isEmpty()).isTrue();
        assertThat(lossesOf("old")).as("it is in the store").isEqualTo(10);
    }

    @Test
    void staysBoundedWhenNoJobEnds() {
        for (int i = 0; i < 50; i++) {
            apply(claimed("job" + i), NOW + i);
        }
        assertThat(history.since(0, NOW).jobs()).extracting(JobSummary::job).containsExactly("job49", "job48", "job47");
    }

    @Test
    void restoresItsStateAfterARestart() {
        apply(claimed("running"), NOW);
        apply(finished("old", 1, 20), NOW + 1);
        apply(finished("new", 1, 20), NOW + 2);
        apply(finished("newest", 1, 20), NOW + 3);
        assertThat(history(store).since(0, NOW).jobs())
                .isEqualTo(history.since(0, NOW).jobs());
    }

    @Test
    void sendsEachReaderItsChanges() {
        apply(claimed("a", 1), NOW);
        apply(claimed("b", 1), NOW);
        LiveUpdate first = history.since(0, NOW);
        assertThat(first.snapshot()).isTrue();
        assertThat(first.jobs()).hasSize(2);
        assertThat(first.workers()).isEmpty();
        assertThat(history.since(first.version(), NOW).isEmpty()).isTrue();

        apply(failed("b", 1, "no such dataset"), NOW);
        LiveUpdate second = history.since(first.version(), NOW);
        assertThat(second.snapshot()).isFalse();
        assertThat(second.jobs()).extracting(JobSummary::reason).containsExactly("no such dataset");
        assertThat(second.workers()).isNull();

        apply(claimed("c", 1), NOW);
        apply(claimed("d", 1), NOW);
        assertThat(history.since(second.version(), NOW).snapshot())
                .as("a job was evicted, so all are sent again")
                .isTrue();
    }

    @Test
    void aSilentWorkerIsLostAndThenRemoved() {
        history.apply(worker("w1", false), 100, NOW);
        long version = history.since(0, NOW).version();
        assertThat(history.workers(NOW + 10_000)).extracting(WorkerView::lost).containsExactly(false);

        LiveUpdate later = history.since(version, NOW + 10_001);
        assertThat(later.workers()).extracting(WorkerView::lost).containsExactly(true);
        history.apply(worker("w1", false), 100, NOW + 11_000);
        assertThat(history.workers(NOW + 11_000)).extracting(WorkerView::lost).containsExactly(false);

        assertThat(history.workers(NOW + 80_000)).isEmpty();
    }

    @Test
    void aWorkerThatStopsLeavesAtOnce() {
        history.apply(worker("w1", false), 100, NOW);
        history.apply(worker("w1", true), 100, NOW + 1);
        assertThat(history.workers(NOW + 2)).isEmpty();
    }

    @Test
    void keepsTheWorkersSeenLast() {
        history.apply(worker("w2", false), 100, NOW);
        history.apply(worker("w1", false), 100, NOW + 1);
        history.apply(worker("w3", false), 100, NOW + 2);
        assertThat(history.workers(NOW + 2)).extracting(WorkerView::worker).containsExactly("w1", "w3");
    }

    @Test
    void cutsAReasonOfAnyLength() {
        apply(failed("a", 1, "x".repeat(100_000)), NOW);
        assertThat(history.since(0, NOW).jobs().getFirst().reason()).hasSize(JobSummary.MAX_REASON + 1);
    }
}
