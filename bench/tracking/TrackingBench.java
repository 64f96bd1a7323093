import io.trainyard.event.EventJson;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.Partition;
import io.trainyard.tracking.TrackingStore;
import io.trainyard.tracking.UsageQuery;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/// What the tracking store takes in, and how soon it answers. An empty database is filled and stays.
///
///     ./mvnw -q dependency:build-classpath -Dmdep.outputFile=target/classpath
///     java -cp target/classes:$(cat target/classpath) bench/tracking/TrackingBench.java URL [RUNS STEPS LOSSES JOBS]
///
/// URL as for the dashboard, or `postgresql` for a new server with default settings. RUNS concurrent jobs publish STEPS
/// losses each, LOSSES per event; then JOBS more jobs publish only their claim, and JOBS more have used devices. The
/// times include parsing of the events' JSON, and exclude Kafka.
public final class TrackingBench {
    private static final int BATCH = 500;
    private static final int ROUNDS = 21;

    public static void main(String[] args) throws Exception {
        int runs = number(args, 1, 20);
        int steps = number(args, 2, 500_000);
        int losses = number(args, 3, 100);
        int jobs = number(args, 4, 10_000);
        EmbeddedPostgres server = args[0].equals("postgresql") ? EmbeddedPostgres.start() : null;
        String url = server == null ? args[0] : server.getJdbcUrl("postgres", "postgres");
        try (server;
                TrackingStore store = TrackingStore.open(url)) {
            long start = System.nanoTime();
            fill(store, runs, steps, losses);
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(Locale.ROOT, "| %,d losses of %d jobs, %d an event | %,.0f losses/s |%n", (long) runs * steps, runs, losses, (long) runs * steps / seconds);
            start = System.nanoTime();
            claim(store, jobs);
            System.out.printf(Locale.ROOT, "| %,d jobs claimed | %,.0f jobs/s |%n", jobs, jobs / ((System.nanoTime() - start) / 1e9));
            Random random = new Random(1);
            for (int width : new int[] {steps, steps / 10, steps / 100, 5000, 500}) {
                time("a curve of %,d steps out of %,d, 1000 points or more".formatted(width, steps), () -> {
                    int from = 1 + random.nextInt(Math.max(1, steps - width));
                    return store.losses("run-0", from, from + width - 1L, 1000);
                });
            }
            List<String> all = IntStream.range(0, runs).mapToObj(run -> "run-" + run).toList();
            time("the losses of all %d runs together, 500 points or more".formatted(runs), () -> store.losses(all, 1, Long.MAX_VALUE, 500));
            for (JobQuery.Sort sort : JobQuery.Sort.values()) {
                time("100 of %,d jobs by %s".formatted(jobs + runs, sort), () -> store.jobs(new JobQuery(Set.of(), "", "", sort, true, 100, 0)));
            }
            time("100 of those that run and have a 7 in their id", () -> store.jobs(new JobQuery(Set.of(Status.RUNNING), "7", "", JobQuery.Sort.SUBMITTED, true, 100, 0)));
            time("where one job stands", () -> store.job("run-0"));
            train(store, jobs);
            LocalDate today = LocalDate.now(ZoneOffset.UTC);
            for (UsageQuery.By by : UsageQuery.By.values()) {
                time("device-hours of 7 days, %,d jobs, by %s".formatted(jobs, by), () -> store.usage(new UsageQuery(today.minusDays(6), today, by)));
            }
        }
    }

    private static int number(String[] args, int at, int otherwise) {
        return args.length > at ? Integer.parseInt(args[at]) : otherwise;
    }

    private static void fill(TrackingStore store, int runs, int steps, int losses) throws Exception {
        List<byte[]> batch = new ArrayList<>();
        long offset = 0;
        for (int run = 0; run < runs; run++) {
            batch.add(EventJson.write(new Claimed("run-" + run, 1, "w", "cpu"), Instant.now()));
        }
        Random random = new Random(1);
        for (long step = 1; step <= steps; step += losses) {
            for (int run = 0; run < runs; run++) {
                float[] values = new float[(int) Math.min(losses, steps - step + 1)];
                for (int i = 0; i < values.length; i++) {
                    values[i] = random.nextFloat();
                }
                batch.add(EventJson.write(new StepLosses("run-" + run, 1, 0, step, values, step * 100, 0.1), Instant.now()));
            }
            if (batch.size() >= BATCH || step + losses > steps) {
                offset += batch.size();
                List<JobRecord> jobRecords = new ArrayList<>();
                for (byte[] json : batch) {
                    TrainingEvent event = EventJson.readEvent(json).event();
                    jobRecords.add(new EventRecord(event, System.currentTimeMillis(), "w", 0));
                }
                store.take(jobRecords, Map.of(new Partition("steps", 0), offset));
                batch.clear();
            }
        }
    }

    private static void claim(TrackingStore store, int jobs) {
        for (int from = 0; from < jobs; from += BATCH) {
            List<JobRecord> jobRecords = new ArrayList<>();
            for (int job = from; job < Math.min(jobs, from + BATCH); job++) {
                jobRecords.add(new EventRecord(new Claimed("job-" + job, 1, "w" + job % 100, "cpu"), System.currentTimeMillis(), "w" + job % 100, 0));
            }
            store.take(jobRecords, Map.of(new Partition("jobs", 0), (long) from + BATCH));
        }
    }

    /// Jobs that began at any time of the last seven days, and took up to three hours.
    private static void train(TrackingStore store, int jobs) {
        Random random = new Random(1);
        long now = System.currentTimeMillis();
        for (int from = 0; from < jobs; from += BATCH) {
            List<JobRecord> jobRecords = new ArrayList<>();
            for (int job = from; job < Math.min(jobs, from + BATCH); job++) {
                String worker = "w" + job % 100;
                long start = now - random.nextInt(6 * 24 * 3600) * 1000L;
                jobRecords.add(new EventRecord(new Claimed("trained-" + job, 1, worker, job % 3 == 0 ? "cuda:0+cuda:1" : "cpu"), start, worker, 0));
                jobRecords.add(new EventRecord(new Cancelled("trained-" + job, 1, 100), start + random.nextInt(3 * 3600) * 1000L, worker, 1));
            }
            store.take(jobRecords, Map.of(new Partition("trained", 0), (long) from + BATCH));
        }
    }

    private static void time(String what, Callable<?> question) throws Exception {
        double[] millis = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long start = System.nanoTime();
            var _ = question.call();
            millis[i] = (System.nanoTime() - start) / 1e6;
        }
        Arrays.sort(millis);
        System.out.printf(Locale.ROOT, "| %s | median %.1f ms, longest %.1f ms |%n", what, millis[ROUNDS / 2], millis[ROUNDS - 1]);
    }
}
