package io.trainyard.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.share.ProjectRule;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ForecastTest {
    private static final long NOW = 10_000_000;

    private static JobSpec spec(String id, String device) {
        return JobJson.read("""
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 10, "batchSize": 8, "device": "%s"}""".formatted(id, device).getBytes(StandardCharsets.UTF_8));
    }

    /// A job with a command on a topic.
    private static JobState asked(String id, String device, String topic, long offset) {
        JobState state = new JobState(id);
        String place = "t.commands.%s-0 at offset %d".formatted(topic, offset);
        state.apply(new Requested(id, spec(id, device), place, NOW - 60_000 + offset));
        return state;
    }

    private static JobState with(JobState state, TrainingEvent event, long millis) {
        state.apply(new EventRecord(event, millis));
        return state;
    }

    private static WorkerStatus worker(String name, String device, @Nullable String job) {
        return WorkerStatusBuilder.of(name, device).job(job, 1).schemaVersion(3).build();
    }

    private static WorkerStatus troubled(String name, String trouble) {
        return WorkerStatusBuilder.of(name, "cpu").problem(trouble).build();
    }

    private static WorkerStatus withTwoSlots(String name, String... jobs) {
        List<WorkerStatus.Job> its =
                Stream.of(jobs).map(job -> new WorkerStatus.Job(job, 1, 0)).toList();
        return WorkerStatusBuilder.of(name, "cpu").jobs(its).slots(2).build();
    }

    private static Forecast of(List<JobState> jobs, WorkerStatus... workers) {
        return of(ProjectRules.NONE, jobs, workers);
    }

    private static Forecast of(ProjectRules rules, List<JobState> jobs, WorkerStatus... workers) {
        return Forecast.of(new Fleet(jobs.stream().map(JobFacts::of).toList(), List.of(workers), NOW, rules));
    }

    private static ProjectRules rules(ProjectRule ofVision) {
        return new ProjectRules(Duration.ofHours(1), ProjectRule.PLAIN, Map.of("vision", ofVision));
    }

    private static long medianMillis(Forecast forecast, String job) {
        return start(forecast, job).medianMillis() - NOW;
    }

    private static StartForecast.Start start(Forecast forecast, String job) {
        return Objects.requireNonNull(only(forecast, job).start());
    }

    private static StartForecast only(Forecast forecast, String job) {
        return Objects.requireNonNull(forecast.of(job), job);
    }

    private static List<JobState> one(String device) {
        return List.of(asked("a", device, device.equals("auto") ? "normal" : device + ".normal", 7));
    }

    private static List<JobState> givenBack() {
        JobState state = asked("a", "auto", "normal", 7);
        with(state, SampleEvents.claimed("a", 1, "w1"), NOW - 50_000);
        with(state, SampleEvents.released("a", 1, 0, "there is no room on the disk"), NOW - 40_000);
        return List.of(state);
    }

    private static JobState paused() {
        JobState state = asked("a", "auto", "normal", 7);
        return with(state, SampleEvents.paused("a", 1, 5), NOW - 40_000);
    }

    private static JobState unreadable() {
        JobState state = new JobState("a");
        state.apply(new Requested("a", null, "t.commands.normal-0 at offset 7", NOW));
        return state;
    }

    private static JobState newer() {
        JobState state = new JobState("a");
        state.apply(new Requested("a", SampleEvents.newer("a"), "t.commands.normal-0 at offset 7", NOW));
        return state;
    }

    private static List<JobState> behind(String topic) {
        return List.of(asked("a", "auto", "normal", 7), asked("b", "auto", topic, 1), asked("c", "auto", topic, 2));
    }

    static Stream<Arguments> scenarios() {
        WorkerStatus busy = worker("w1", "cpu", "x");
        WorkerStatus idle = worker("w1", "cpu", null);
        WorkerStatus gpu = worker("w1", "cuda:0+cuda:1", null);
        WorkerStatus full = troubled("w2", "the store is full");
        WorkerStatus old = WorkerStatusBuilder.of("w1", "cpu").build();
        String taken = "beingClaimed: a worker is about to claim it";
        String allBusy = "allBusy: the one worker is busy";
        String highPriority = "behindHighPriority: 2 jobs with a higher priority come first";
        return Stream.of(
                Arguments.of(one("auto"), List.of(), "noWorker: there is no worker"),
                Arguments.of(one("cuda"), List.of(busy), "noWorkerOfKind: no worker has the device kind cuda"),
                Arguments.of(one("cpu"), List.of(gpu), "noWorkerOfKind: no worker has the device kind cpu"),
                Arguments.of(one("auto"), List.of(gpu), taken),
                Arguments.of(one("cuda"), List.of(gpu), taken),
                Arguments.of(one("cpu"), List.of(busy, worker("g", "cuda:0", null)), allBusy),
                Arguments.of(one("cpu"), List.of(busy, worker("w2", "cpu", "y")), "allBusy: all 2 workers are busy"),
                Arguments.of(
                        one("cpu"),
                        List.of(busy, full),
                        "allBusy: 1 of 2 workers are busy, and w2 claims no jobs: the store is full"),
                Arguments.of(
                        one("cpu"),
                        List.of(full),
                        "allInTrouble: the one worker, w2, claims no jobs: the store is full"),
                Arguments.of(
                        one("cpu"),
                        List.of(troubled("w3", "its GPU is gone"), full),
                        "allInTrouble: none of 2 workers claims jobs; w2: the store is full"),
                Arguments.of(List.of(paused()), List.of(busy), "paused: it is paused until it is resumed"),
                Arguments.of(behind("high"), List.of(idle, worker("w2", "cpu", null)), highPriority),
                Arguments.of(behind("high"), List.of(idle, withTwoSlots("w2")), taken),
                Arguments.of(behind("low"), List.of(busy), allBusy),
                Arguments.of(
                        List.of(newer()),
                        List.of(old),
                        "needsNewerWorker: its command needs a worker that supports schema version 3; the workers support 1"),
                Arguments.of(List.of(newer()), List.of(old, busy), allBusy),
                Arguments.of(
                        List.of(unreadable()),
                        List.of(busy),
                        "needsNewerWorker: its command cannot be read by this version; a newer worker may support it"),
                Arguments.of(
                        givenBack(),
                        List.of(idle),
                        "leftAlone: w1 released it, and does not claim it for ten minutes: there is no room on the disk"),
                Arguments.of(givenBack(), List.of(idle, worker("w2", "cpu", null)), taken),
                Arguments.of(givenBack(), List.of(busy), allBusy));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void givesTheReason(List<JobState> jobs, List<WorkerStatus> workers, String reason) {
        StartForecast forecast = only(of(jobs, workers.toArray(WorkerStatus[]::new)), "a");
        assertThat(forecast.reason() + ": " + forecast.sentence()).isEqualTo(reason);
        boolean taken = List.of("beingClaimed", "allBusy", "behindHighPriority").contains(forecast.reason());
        assertThat(forecast.start() != null).as("there is an estimate").isEqualTo(taken);
    }

    private static JobState running(JobState job, String worker) {
        return with(job, SampleEvents.claimed(job.job(), 1, worker), NOW - 50_000);
    }

    /// High-priority jobs preempt the running job of the lowest priority first, then the next one. Jobs beyond
    /// that have to wait.
    @Test
    void highPriorityJobsPreemptOthers() {
        List<JobState> jobs = List.of(
                running(asked("n", "auto", "normal", 1), "w1"),
                running(asked("l", "auto", "low", 2), "w2"),
                running(asked("h", "auto", "high", 3), "w3"),
                asked("u1", "auto", "high", 4),
                asked("u2", "auto", "high", 5),
                asked("u3", "auto", "high", 6),
                asked("a", "auto", "normal", 7));
        Forecast forecast = of(jobs, worker("w1", "cpu", "n"), worker("w2", "cpu", "l"), worker("w3", "cpu", "h"));
        assertThat(only(forecast, "u1").sentence()).isEqualTo("job l is preempted for it");
        assertThat(only(forecast, "u2").sentence()).isEqualTo("job n is preempted for it");
        assertThat(only(forecast, "u3").reason()).isEqualTo("allBusy");
        assertThat(only(forecast, "a").sentence()).isEqualTo("3 jobs with a higher priority come first");
        assertThat(start(forecast, "u1").highMillis() - NOW).isLessThan(10_000);
        assertThat(start(forecast, "u2").highMillis() - NOW).isLessThan(10_000);
        assertThat(medianMillis(forecast, "u3")).isGreaterThan(30_000);
    }

    private static JobState preempted(String id, int times) {
        JobState job = asked(id, "auto", "normal", 1);
        for (int attempt = 1; attempt <= times; attempt++) {
            with(job, SampleEvents.claimed(id, attempt, "w1"), NOW - 60_000 + 1_000L * attempt);
            with(job, SampleEvents.preempted(id, attempt, 10, "urgent"), NOW - 59_500 + 1_000L * attempt);
        }
        return with(job, SampleEvents.claimed(id, times + 1, "w1"), NOW - 50_000);
    }

    /// Jobs that were preempted three times, jobs that are not preemptible, and jobs of old workers.
    @Test
    void noPreemptionWhereNoneIsAllowed() {
        JobState highPriority = asked("a", "auto", "high", 7);
        assertThat(only(of(List.of(preempted("x", 2), highPriority), worker("w1", "cpu", "x")), "a")
                        .reason())
                .isEqualTo("preempts");
        assertThat(only(of(List.of(preempted("x", 3), highPriority), worker("w1", "cpu", "x")), "a")
                        .reason())
                .isEqualTo("allBusy");
        JobState pinned = new JobState("x");
        JobSpec spec = JobJson.read("""
                {"id": "x", "network": "lenet", "dataset": "shapes32", "epochs": 10, "preemptible": false}""".getBytes(StandardCharsets.UTF_8));
        pinned.apply(new Requested("x", spec, "t.commands.normal-0 at offset 1", NOW - 60_000));
        assertThat(only(of(List.of(running(pinned, "w1"), highPriority), worker("w1", "cpu", "x")), "a")
                        .reason())
                .isEqualTo("allBusy");
    }

    /// One project has the fleet, and submitted more jobs before the other project came.
    @Test
    void theProjectWithLessUsageComesFirst() {
        List<JobState> jobs = List.of(
                running(asked("x", "auto", "normal", 1), "w1"),
                asked("d1", "auto", "normal", 2),
                asked("d2", "auto", "normal", 3),
                ofVision("v1", 4),
                ofVision("v2", 5));
        Forecast forecast = of(rules(new ProjectRule(3, null, null)), jobs, worker("w1", "cpu", "x"));
        assertThat(forecast.forecasts().keySet()).containsExactly("v1", "v2", "d1", "d2");
        assertThat(only(forecast, "d1").sentence()).isEqualTo("it is the turn of project vision");
        assertThat(only(forecast, "d1").reason()).isEqualTo("notItsTurn");
        assertThat(only(forecast, "v1").reason()).isEqualTo("allBusy");
        assertThat(medianMillis(forecast, "v1")).isLessThan(medianMillis(forecast, "d1"));
        assertThat(of(jobs, worker("w1", "cpu", "x")).forecasts().keySet())
                .as("without a file")
                .containsExactly("d1", "d2", "v1", "v2");
    }

    @Test
    void aJobAtItsProjectsQuotaHasNoPlaceUntilAJobOfTheProjectEnds() {
        List<JobState> jobs = List.of(
                with(ofVision("runs", 1), SampleEvents.claimed("runs", 1, "w1"), NOW - 50_000),
                ofVision("next", 2),
                ofVision("over", 3),
                asked("other", "auto", "normal", 4));
        WorkerStatus[] workers = {worker("w1", "cpu", "runs"), withTwoSlots("w2")};
        Forecast forecast = of(rules(new ProjectRule(1, 2, null)), jobs, workers);
        assertThat(only(forecast, "next").reason()).isEqualTo("beingClaimed");
        assertThat(only(forecast, "over").sentence()).isEqualTo("project vision has 1 job running, and may have 2");
        assertThat(only(forecast, "over").reason()).isEqualTo("atQuota");
        assertThat(only(forecast, "over").place()).isZero();
        assertThat(start(forecast, "over").lowMillis())
                .as("once one of its project has ended")
                .isGreaterThan(start(forecast, "other").highMillis());
        assertThat(only(forecast, "other").place()).as("its project has less").isEqualTo(1);
        assertThat(only(forecast, "other").reason()).isEqualTo("beingClaimed");
        assertThat(only(of(jobs, workers), "over").place()).as("without a file").isEqualTo(2);
    }

    private static JobState ofVision(String id, long offset) {
        JobState state = new JobState(id);
        JobSpec spec = JobJson.read("""
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 10, "project": "vision"}""".formatted(id).getBytes(StandardCharsets.UTF_8));
        state.apply(
                new Requested(id, spec, "t.commands.normal-0 at offset %d".formatted(offset), NOW - 60_000 + offset));
        return state;
    }

    /// A worker with an automatically chosen device may support more kinds than that device's.
    @Test
    void aWorkerHasTheKindsThatItHasShown() {
        JobState ran = asked("x", "cpu", "cpu.normal", 1);
        with(ran, SampleEvents.claimed("x", 1, "w1"), NOW - 50_000);
        with(ran, SampleEvents.failed("x", 1, "it is broken"), NOW - 40_000);
        Forecast forecast = of(List.of(ran, asked("a", "cpu", "cpu.normal", 7)), worker("w1", "cuda:0", null));
        assertThat(only(forecast, "a").reason()).isEqualTo("beingClaimed");
    }

    @Test
    void jobsAreForecastInTheOrderOfClaiming() {
        List<JobState> jobs = List.of(
                asked("late", "auto", "normal", 9),
                asked("low", "auto", "low", 1),
                asked("early", "auto", "normal", 2),
                asked("gpu", "cuda", "cuda.normal", 3),
                asked("processor", "cpu", "cpu.normal", 4),
                asked("urgent", "cpu", "cpu.high", 8));
        Forecast forecast = of(jobs, worker("w1", "cpu", "x"), worker("w2", "cuda:0", "y"));
        assertThat(forecast.forecasts().keySet()).containsExactly("urgent", "early", "gpu", "processor", "late", "low");
        assertThat(forecast.forecasts().values().stream().map(StartForecast::place))
                .containsExactly(1, 2, 2, 3, 5, 6);
        // A job that needs a GPU delays no other job if there is no GPU.
        Forecast withoutGpu = of(jobs, worker("w1", "cpu", "x"));
        assertThat(withoutGpu.forecasts().values().stream().map(StartForecast::place))
                .containsExactly(1, 2, 2, 3, 4, 5);
    }

    /// Heartbeats arrive every two seconds; events arrive earlier.
    @Test
    void justStartedOrEndedJobsCount() {
        JobState begun = with(asked("x", "cpu", "cpu.normal", 1), SampleEvents.claimed("x", 1, "w1"), NOW - 500);
        List<JobState> jobs = List.of(begun, asked("a", "cpu", "cpu.normal", 7));
        assertThat(only(of(jobs, worker("w1", "cpu", null)), "a").reason()).isEqualTo("allBusy");
        with(begun, SampleEvents.failed("x", 1, "it is broken"), NOW);
        assertThat(only(of(jobs, worker("w1", "cpu", "x")), "a").reason()).isEqualTo("beingClaimed");
    }

    /// @param doneSteps at 100 steps per epoch and 100 ms per step
    private static JobState running(String id, String worker, long doneSteps) {
        JobState state = asked(id, "cpu", "cpu.normal", 1);
        long began = NOW - 100 * doneSteps - 1_000;
        with(state, SampleEvents.claimed(id, 1, worker), began - 2_000);
        with(state, SampleEvents.started(spec(id, "cpu"), 1, 1, 100, null), began);
        return with(
                state,
                new StepLosses(id, 1, (int) (doneSteps / 100), doneSteps, new float[] {1}, 100_000 * doneSteps, null),
                NOW - 1_000);
    }

    @Test
    void theEstimateIsTheRemainingTimeOfTheRunningJob() {
        JobState ahead = running("x", "w1", 900);
        StartForecast.Start start =
                start(of(List.of(ahead, asked("a", "cpu", "cpu.normal", 7)), worker("w1", "cpu", "x")), "a");
        assertThat(start.medianMillis() - NOW).isBetween(9_000L, 10_400L); // 100 steps, of which one second has passed
        assertThat(start.lowMillis()).isLessThan(start.medianMillis());
        assertThat(start.highMillis()).isGreaterThan(start.medianMillis());
    }

    @Test
    void durationsAreEstimatedFromSimilarJobs() {
        JobState ended = running("e", "w1", 1000);
        with(ended, SampleEvents.finished("e", 1, 1000), NOW - 500);
        List<JobState> jobs = new ArrayList<>(List.of(ended, running("x", "w1", 900)));
        IntStream.range(0, 3).forEach(i -> jobs.add(asked("a" + i, "cpu", "cpu.normal", 10 + i)));
        Forecast forecast = of(jobs, worker("w1", "cpu", "x"));
        for (int i = 0; i < 3; i++) { // each takes 100 s, and a little to begin
            assertThat(medianMillis(forecast, "a" + i)).isBetween(9_000 + 85_000L * i, 12_000 + 120_000L * i);
        }
        assertThat(of(jobs, worker("w1", "cpu", "x"))).isEqualTo(forecast);
    }

    /// The forecast assumes that two concurrent jobs have twice the throughput.
    @Test
    void slotsShortenTheForecast() {
        List<JobState> jobs = new ArrayList<>(List.of(running("x", "w1", 500), running("y", "w1", 500)));
        IntStream.range(0, 4).forEach(i -> jobs.add(asked("a" + i, "cpu", "cpu.normal", 10 + i)));
        Forecast narrow = of(jobs, worker("w1", "cpu", "x"));
        Forecast wide = of(jobs, withTwoSlots("w1", "x", "y"));
        assertThat(medianMillis(wide, "a3")).isLessThan(2 * medianMillis(narrow, "a3") / 3);
    }
}
