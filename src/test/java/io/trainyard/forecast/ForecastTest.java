package io.trainyard.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.StepLosses;
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

    /// A job whose command is on a topic.
    private static JobState asked(String id, String device, String topic, long offset) {
        JobState state = new JobState(id);
        String place = "t.commands.%s-0 at offset %d".formatted(topic, offset);
        state.apply(new Requested(id, spec(id, device), place, NOW - 60_000 + offset));
        return state;
    }

    private static JobState with(JobState state, TrainingEvent event, long millis) {
        state.apply(new Happened(event, millis));
        return state;
    }

    private static WorkerFacts worker(String name, String device, @Nullable String job) {
        return new WorkerFacts(name, device, job == null ? List.of() : List.of(job), 1, null, 2);
    }

    private static WorkerFacts troubled(String name, String device, String trouble) {
        return new WorkerFacts(name, device, List.of(), 1, trouble, 2);
    }

    private static Forecast of(List<JobState> jobs, WorkerFacts... workers) {
        return Forecast.of(new Fleet(jobs.stream().map(JobFacts::of).toList(), List.of(workers), "t.", NOW));
    }

    private static Outlook only(Forecast forecast, String job) {
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
        WorkerFacts busy = worker("w1", "cpu", "x");
        WorkerFacts old = new WorkerFacts("w1", "cpu", List.of(), 1, null, 1);
        return Stream.of(
                Arguments.of(one("auto"), List.of(), "noWorker", "no worker is there"),
                Arguments.of(one("cuda"), List.of(busy), "noWorkerOfKind", "no worker is there whose device is cuda"),
                Arguments.of(
                        one("cpu"),
                        List.of(worker("w1", "cuda:0", null)),
                        "noWorkerOfKind",
                        "no worker is there whose device is cpu"),
                Arguments.of(
                        one("auto"),
                        List.of(worker("w1", "cuda:0", null)),
                        "beingTaken",
                        "a worker takes it in a moment"),
                Arguments.of(
                        one("cuda"),
                        List.of(worker("w1", "cuda:0+cuda:1", null)),
                        "beingTaken",
                        "a worker takes it in a moment"),
                Arguments.of(one("cpu"), List.of(busy), "allBusy", "the one worker is busy"),
                Arguments.of(
                        one("cpu"), List.of(busy, worker("g", "cuda:0", null)), "allBusy", "the one worker is busy"),
                Arguments.of(one("cpu"), List.of(busy, worker("w2", "cpu", "y")), "allBusy", "all 2 workers are busy"),
                Arguments.of(
                        one("cpu"),
                        List.of(busy, troubled("w2", "cpu", "the store is full")),
                        "allBusy",
                        "1 of 2 workers are busy, and w2 takes no jobs: the store is full"),
                Arguments.of(
                        one("cpu"),
                        List.of(troubled("w2", "cpu", "the store is full")),
                        "allInTrouble",
                        "the one worker, w2, takes no jobs: the store is full"),
                Arguments.of(
                        one("cpu"),
                        List.of(troubled("w3", "cpu", "its GPU is gone"), troubled("w2", "cpu", "the store is full")),
                        "allInTrouble",
                        "none of 2 workers takes jobs; w2: the store is full"),
                Arguments.of(List.of(paused()), List.of(busy), "paused", "it is paused until somebody resumes it"),
                Arguments.of(behind("high"), List.of(busy), "behindUrgent", "2 jobs that are more urgent come first"),
                Arguments.of(behind("normal"), List.of(busy), "allBusy", "the one worker is busy"),
                Arguments.of(behind("low"), List.of(busy), "allBusy", "the one worker is busy"),
                Arguments.of(
                        behind("high"),
                        List.of(worker("w1", "cpu", null), worker("w2", "cpu", null)),
                        "behindUrgent",
                        "2 jobs that are more urgent come first"),
                Arguments.of(
                        behind("high"),
                        List.of(worker("w1", "cpu", null), worker("w2", "cpu", null), worker("w3", "cpu", null)),
                        "beingTaken",
                        "a worker takes it in a moment"),
                Arguments.of(
                        List.of(newer()),
                        List.of(old),
                        "needsNewerWorker",
                        "its command needs a worker that understands contract 2; those that are there understand 1"),
                Arguments.of(List.of(newer()), List.of(old, busy), "allBusy", "the one worker is busy"),
                Arguments.of(
                        List.of(unreadable()),
                        List.of(busy),
                        "needsNewerWorker",
                        "its command cannot be read here; a newer worker may understand it"),
                Arguments.of(
                        givenBack(),
                        List.of(worker("w1", "cpu", null)),
                        "leftAlone",
                        "w1 gave it back, and leaves it to others for ten minutes: there is no room on the disk"),
                Arguments.of(
                        givenBack(),
                        List.of(worker("w1", "cpu", null), worker("w2", "cpu", null)),
                        "beingTaken",
                        "a worker takes it in a moment"),
                Arguments.of(givenBack(), List.of(busy), "allBusy", "the one worker is busy"));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void theReasonIsRight(List<JobState> jobs, List<WorkerFacts> workers, String word, String sentence) {
        Outlook outlook = only(of(jobs, workers.toArray(WorkerFacts[]::new)), "a");
        assertThat(outlook.reason().sentence()).isEqualTo(sentence);
        assertThat(outlook.reason().word()).isEqualTo(word);
        boolean taken = List.of("beingTaken", "allBusy", "behindUrgent").contains(word);
        assertThat(outlook.start() != null).as("there is an estimate").isEqualTo(taken);
    }

    private static JobState running(JobState job, String worker) {
        return with(job, SampleEvents.claimed(job.job(), 1, worker), NOW - 50_000);
    }

    private static WorkerFacts full(String worker, String job) {
        return new WorkerFacts(worker, "cpu", List.of(job), 1, null, 3);
    }

    /// Of those that run the least urgent one gives its place, and the next to the next; who waits then has none.
    @Test
    void whatIsUrgentTakesThePlacesOfOthers() {
        List<JobState> jobs = List.of(
                running(asked("n", "auto", "normal", 1), "w1"),
                running(asked("l", "auto", "low", 2), "w2"),
                running(asked("h", "auto", "high", 3), "w3"),
                asked("u1", "auto", "high", 4),
                asked("u2", "auto", "high", 5),
                asked("u3", "auto", "high", 6),
                asked("a", "auto", "normal", 7));
        Forecast forecast = of(jobs, full("w1", "n"), full("w2", "l"), full("w3", "h"));
        assertThat(only(forecast, "u1").reason().sentence()).isEqualTo("job l makes room for it");
        assertThat(only(forecast, "u2").reason().sentence()).isEqualTo("job n makes room for it");
        assertThat(only(forecast, "u3").reason().word()).isEqualTo("allBusy");
        assertThat(only(forecast, "a").reason().sentence()).isEqualTo("3 jobs that are more urgent come first");
        for (String urgent : List.of("u1", "u2")) {
            assertThat(Objects.requireNonNull(only(forecast, urgent).start()).highMillis())
                    .isLessThan(10_000);
        }
        assertThat(Objects.requireNonNull(only(forecast, "u3").start()).medianMillis())
                .isGreaterThan(30_000);
    }

    private static JobState preempted(String id, int times) {
        JobState job = asked(id, "auto", "normal", 1);
        for (int attempt = 1; attempt <= times; attempt++) {
            with(job, SampleEvents.claimed(id, attempt, "w1"), NOW - 60_000 + 1_000L * attempt);
            with(job, SampleEvents.preempted(id, attempt, 10, "urgent"), NOW - 59_500 + 1_000L * attempt);
        }
        return with(job, SampleEvents.claimed(id, times + 1, "w1"), NOW - 50_000);
    }

    /// What made room three times, what never does, and what an old worker has.
    @Test
    void noRoomIsMadeWhereNoneMayBe() {
        JobState urgent = asked("a", "auto", "high", 7);
        assertThat(only(of(List.of(preempted("x", 2), urgent), full("w1", "x")), "a")
                        .reason()
                        .word())
                .isEqualTo("makesRoom");
        assertThat(only(of(List.of(preempted("x", 3), urgent), full("w1", "x")), "a")
                        .reason()
                        .word())
                .isEqualTo("allBusy");
        JobState pinned = new JobState("x");
        JobSpec spec = JobJson.read("""
                {"id": "x", "network": "lenet", "dataset": "shapes32", "epochs": 10, "preemptible": false}""".getBytes(StandardCharsets.UTF_8));
        pinned.apply(new Requested("x", spec, "t.commands.normal-0 at offset 1", NOW - 60_000));
        assertThat(only(of(List.of(running(pinned, "w1"), urgent), full("w1", "x")), "a")
                        .reason()
                        .word())
                .isEqualTo("allBusy");
    }

    /// The one project has the fleet, and asked for more before the other came.
    @Test
    void whoHasHadLessComesFirst() {
        ProjectRules rules = new ProjectRules(Duration.ofHours(1), ProjectRule.PLAIN, Map.of("vision", weight(3)));
        List<JobFacts> facts = Stream.of(
                        running(asked("x", "auto", "normal", 1), "w1"),
                        asked("d1", "auto", "normal", 2),
                        asked("d2", "auto", "normal", 3),
                        ofVision("v1", 4),
                        ofVision("v2", 5))
                .map(JobFacts::of)
                .toList();
        List<WorkerFacts> workers = List.of(full("w1", "x"));
        Forecast forecast = Forecast.of(new Fleet(facts, workers, "t.", NOW, rules));
        assertThat(forecast.outlooks().keySet()).containsExactly("v1", "v2", "d1", "d2");
        assertThat(only(forecast, "d1").reason().sentence()).isEqualTo("it is the turn of project vision");
        assertThat(only(forecast, "d1").reason().word()).isEqualTo("notItsTurn");
        assertThat(only(forecast, "v1").reason().word()).isEqualTo("allBusy");
        assertThat(Objects.requireNonNull(only(forecast, "v1").start()).medianMillis())
                .isLessThan(Objects.requireNonNull(only(forecast, "d1").start()).medianMillis());
        Forecast first = Forecast.of(new Fleet(facts, workers, "t.", NOW));
        assertThat(first.outlooks().keySet()).as("without a file").containsExactly("d1", "d2", "v1", "v2");
    }

    private static ProjectRule weight(double weight) {
        return new ProjectRule(weight, null, null);
    }

    @Test
    void whoHasTheQuotaOfItsProjectHasNoPlaceUntilAJobOfItHasEnded() {
        ProjectRules rules =
                new ProjectRules(Duration.ofHours(1), ProjectRule.PLAIN, Map.of("vision", new ProjectRule(1, 2, null)));
        List<JobState> jobs = List.of(
                with(ofVision("runs", 1), SampleEvents.claimed("runs", 1, "w1"), NOW - 50_000),
                ofVision("next", 2),
                ofVision("over", 3),
                asked("other", "auto", "normal", 4));
        List<JobFacts> facts = jobs.stream().map(JobFacts::of).toList();
        List<WorkerFacts> workers = List.of(
                new WorkerFacts("w1", "cpu", List.of("runs"), 1, null, 3),
                new WorkerFacts("w2", "cpu", List.of(), 2, null, 3));
        Forecast forecast = Forecast.of(new Fleet(facts, workers, "t.", NOW, rules));
        assertThat(only(forecast, "next").reason().word()).isEqualTo("beingTaken");
        assertThat(only(forecast, "over").reason().sentence())
                .isEqualTo("project vision has 1 job running, and may have 2");
        assertThat(only(forecast, "over").reason().word()).isEqualTo("atQuota");
        assertThat(only(forecast, "over").place()).isZero();
        assertThat(Objects.requireNonNull(only(forecast, "over").start()).lowMillis())
                .as("once one of its project has ended")
                .isGreaterThan(
                        Objects.requireNonNull(only(forecast, "other").start()).highMillis());
        assertThat(only(forecast, "other").place()).as("its project has less").isEqualTo(1);
        assertThat(only(forecast, "other").reason().word()).isEqualTo("beingTaken");
        assertThat(only(Forecast.of(new Fleet(facts, workers, "t.", NOW)), "over")
                        .place())
                .as("without a file")
                .isEqualTo(2);
    }

    private static JobState ofVision(String id, long offset) {
        JobState state = new JobState(id);
        JobSpec spec = JobJson.read("""
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 10, "project": "vision"}""".formatted(id).getBytes(StandardCharsets.UTF_8));
        state.apply(
                new Requested(id, spec, "t.commands.normal-0 at offset %d".formatted(offset), NOW - 60_000 + offset));
        return state;
    }

    /// A worker whose device is chosen for it may have more kinds than that of its own.
    @Test
    void aWorkerHasTheKindsThatItHasShown() {
        JobState ran = asked("x", "cpu", "cpu.normal", 1);
        with(ran, SampleEvents.claimed("x", 1, "w1"), NOW - 50_000);
        with(ran, SampleEvents.failed("x", 1, "it is broken"), NOW - 40_000);
        Forecast forecast = of(List.of(ran, asked("a", "cpu", "cpu.normal", 7)), worker("w1", "cuda:0", null));
        assertThat(only(forecast, "a").reason().word()).isEqualTo("beingTaken");
    }

    @Test
    void placesAreThoseOfClaiming() {
        List<JobState> jobs = List.of(
                asked("late", "auto", "normal", 9),
                asked("low", "auto", "low", 1),
                asked("early", "auto", "normal", 2),
                asked("gpu", "cuda", "cuda.normal", 3),
                asked("processor", "cpu", "cpu.normal", 4),
                asked("urgent", "cpu", "cpu.high", 8));
        Forecast forecast = of(jobs, worker("w1", "cpu", "x"), worker("w2", "cuda:0", "y"));
        assertThat(forecast.outlooks().keySet()).containsExactly("urgent", "early", "gpu", "processor", "late", "low");
        assertThat(forecast.outlooks().values().stream().map(Outlook::place)).containsExactly(1, 2, 2, 3, 5, 6);
        // what only a GPU takes is in nobody's way where there is none
        Forecast withoutGpu = of(jobs, worker("w1", "cpu", "x"));
        assertThat(withoutGpu.outlooks().values().stream().map(Outlook::place)).containsExactly(1, 2, 2, 3, 4, 5);
    }

    /// A worker tells what it has every two seconds; events are quicker.
    @Test
    void whatHasJustBegunOrEndedCounts() {
        JobState begun = with(asked("x", "cpu", "cpu.normal", 1), SampleEvents.claimed("x", 1, "w1"), NOW - 500);
        List<JobState> jobs = List.of(begun, asked("a", "cpu", "cpu.normal", 7));
        assertThat(only(of(jobs, worker("w1", "cpu", null)), "a").reason().word())
                .isEqualTo("allBusy");
        with(begun, SampleEvents.failed("x", 1, "it is broken"), NOW);
        assertThat(only(of(jobs, worker("w1", "cpu", "x")), "a").reason().word())
                .isEqualTo("beingTaken");
    }

    /// @param doneSteps of 100 an epoch, at 100 ms each
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
    void theEstimateIsWhatIsLeftOfTheJobThatRuns() {
        JobState ahead = running("x", "w1", 900);
        StartEstimate start = Objects.requireNonNull(only(
                        of(List.of(ahead, asked("a", "cpu", "cpu.normal", 7)), worker("w1", "cpu", "x")), "a")
                .start());
        assertThat(start.medianMillis()).isBetween(9_000L, 10_400L); // 100 steps, one second of which has gone by
        assertThat(start.lowMillis()).isLessThan(start.medianMillis());
        assertThat(start.highMillis()).isGreaterThan(start.medianMillis());
    }

    @Test
    void jobsAlikeSayHowLongAJobTakes() {
        JobState ended = running("e", "w1", 1000);
        with(ended, SampleEvents.finished("e", 1, 1000), NOW - 500);
        List<JobState> jobs = new ArrayList<>(List.of(ended, running("x", "w1", 900)));
        IntStream.range(0, 3).forEach(i -> jobs.add(asked("a" + i, "cpu", "cpu.normal", 10 + i)));
        Forecast forecast = of(jobs, worker("w1", "cpu", "x"));
        for (int i = 0; i < 3; i++) { // each takes 100 s, and a little to begin
            StartEstimate start = Objects.requireNonNull(only(forecast, "a" + i).start());
            assertThat(start.medianMillis()).isBetween(9_000 + 85_000L * i, 12_000 + 120_000L * i);
        }
        assertThat(of(jobs, worker("w1", "cpu", "x"))).isEqualTo(forecast);
    }

    /// Two jobs at a time go twice as fast, as far as the line knows.
    @Test
    void slotsAreAsManyWorkers() {
        List<JobState> jobs = new ArrayList<>(List.of(running("x", "w1", 500), running("y", "w1", 500)));
        IntStream.range(0, 4).forEach(i -> jobs.add(asked("a" + i, "cpu", "cpu.normal", 10 + i)));
        Forecast narrow = of(jobs, worker("w1", "cpu", "x"));
        Forecast wide = of(jobs, new WorkerFacts("w1", "cpu", List.of("x", "y"), 2, null, 2));
        long last = Objects.requireNonNull(only(narrow, "a3").start()).medianMillis();
        assertThat(Objects.requireNonNull(only(wide, "a3").start()).medianMillis())
                .isLessThan(2 * last / 3);
    }
}
