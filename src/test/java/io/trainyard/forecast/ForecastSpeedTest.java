package io.trainyard.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.JobFacts.Work;
import io.trainyard.share.ProjectRule;
import io.trainyard.share.ProjectRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ForecastSpeedTest {
    private static final long NOW = 100_000_000;
    private static final int WORKERS = 1_000;
    private static final List<String> PROJECTS = List.of("speech", "text", "vision");

    private static JobFacts job(int number, Status status, @Nullable String worker, long step) {
        long ended = status.isFinal() ? NOW - 1_000 : 0;
        String urgency = number % 3 == 0 ? "high" : number % 3 == 1 ? "normal" : "low";
        return new JobFacts(
                "job-" + number,
                status,
                worker == null ? 0 : 1,
                worker,
                worker == null ? null : "cuda:0",
                new Work(
                        "cuda",
                        "net" + number % 20,
                        "data" + number % 3,
                        32,
                        1 + number % 40,
                        "FP32",
                        1,
                        number % 5 == 0,
                        false,
                        PROJECTS.get(number % PROJECTS.size())),
                "t.commands.cuda.%s-0 at offset %d".formatted(urgency, number),
                NOW - 1_000_000 + number,
                NOW - 1_000_000 + 100L * number,
                NOW - 500,
                1,
                worker == null ? 0 : NOW - 600_000,
                worker == null ? 0 : NOW - 595_000,
                1,
                step,
                worker == null ? 0 : 100L * (1 + number % 40),
                worker == null ? 0 : 500_000L * step,
                ended,
                null,
                0);
    }

    static List<ProjectRules> rules() {
        ProjectRule vision = new ProjectRule(3, 400, null);
        return List.of(
                ProjectRules.NONE, new ProjectRules(Duration.ofHours(1), ProjectRule.PLAIN, Map.of("vision", vision)));
    }

    /// Of ten thousand jobs that wait for a thousand workers, beside two thousand that have ended.
    @ParameterizedTest
    @MethodSource("rules")
    void tenThousandJobsTakeAFractionOfASecond(ProjectRules rules) {
        List<JobFacts> jobs = new ArrayList<>();
        IntStream.range(0, 2_000)
                .forEach(i -> jobs.add(job(i, Status.FINISHED, "w" + i % WORKERS, 100L * (1 + i % 40))));
        IntStream.range(0, WORKERS).forEach(i -> jobs.add(job(2_000 + i, Status.RUNNING, "w" + i, 40)));
        IntStream.range(0, 10_000).forEach(i -> jobs.add(job(3_000 + i, Status.QUEUED, null, 0)));
        List<WorkerFacts> workers = IntStream.range(0, WORKERS)
                .mapToObj(i -> new WorkerFacts("w" + i, "cuda:0", List.of("job-" + (2_000 + i)), 1, null, 3))
                .toList();
        Fleet fleet = new Fleet(jobs, workers, "t.", NOW, rules);
        long fastest = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            long beganNanos = System.nanoTime();
            assertThat(Forecast.of(fleet).outlooks()).hasSize(10_000);
            fastest = Math.min(fastest, System.nanoTime() - beganNanos);
        }
        System.out.printf(
                "10,000 jobs, 1,000 workers, %s: %d ms%n",
                rules.isNone() ? "nothing shared" : "three projects", fastest / 1_000_000);
        assertThat(Duration.ofNanos(fastest)).isLessThan(Duration.ofSeconds(5)); // a machine may be busy
    }
}
