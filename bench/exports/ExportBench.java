import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.export.ExportFormat;
import io.trainyard.export.JobExport;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.Partition;
import io.trainyard.tracking.TrackingStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/// The duration of an export. A missing store is created and filled first.
///
///     ./mvnw -q dependency:build-classpath -Dmdep.outputFile=target/classpath
///     java -cp target/classes:$(cat target/classpath) bench/exports/ExportBench.java FILE FOLDER FORMAT [RUNS STEPS LOSSES]
///
/// FILE is a SQLite store, FOLDER the destination. RUNS jobs publish STEPS losses each, LOSSES per event. It prints the
/// sum of all published losses, which the file must have, too.
public final class ExportBench {
    private static final int JOBS_A_TRANSACTION = 20;

    public static void main(String[] args) throws Exception {
        int runs = number(args, 3, 10_000);
        int steps = number(args, 4, 10_000);
        int losses = number(args, 5, 100);
        boolean there = Files.exists(Path.of(args[0]));
        try (TrackingStore store = TrackingStore.open("jdbc:sqlite:" + args[0])) {
            if (!there) {
                long start = System.nanoTime();
                double sum = fill(store, runs, steps, losses);
                System.out.printf(Locale.ROOT, "filled: %,d losses, sum %.6f, in %.0f s; the store has %,d bytes%n", (long) runs * steps, sum, seconds(start), Files.size(Path.of(args[0])));
            }
        }
        try (TrackingStore store = TrackingStore.openExisting("jdbc:sqlite:" + args[0])) {
            JobExport export = new JobExport(store);
            long start = System.nanoTime();
            List<String> jobs = export.find(new JobQuery(Set.of(), "", "", JobQuery.Sort.SUBMITTED, false, 1, 0), (JobState _) -> true);
            JobExport.Progress all = export.export(jobs, ExportFormat.valueOf(args[2].toUpperCase(Locale.ROOT)), Path.of(args[1]), true, _ -> {});
            System.out.printf(Locale.ROOT, "exported as %s: %,d jobs, %,d losses in %.1f s%n", args[2], all.jobs(), all.losses(), seconds(start));
        }
    }

    private static int number(String[] args, int at, int otherwise) {
        return args.length > at ? Integer.parseInt(args[at]) : otherwise;
    }

    private static double seconds(long startNanos) {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    /// Falling curves with noise; the sum is that of the floats.
    private static double fill(TrackingStore store, int runs, int steps, int losses) {
        Random random = new Random(1);
        double sum = 0;
        long offset = 0;
        List<JobRecord> jobRecords = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            String job = "run-" + run;
            jobRecords.add(new EventRecord(new Claimed(job, 1, "w", "cpu"), 1_795_000_000_000L + run, "w", 0));
            for (int first = 1; first <= steps; first += losses) {
                float[] values = new float[Math.min(losses, steps - first + 1)];
                for (int i = 0; i < values.length; i++) {
                    values[i] = (float) (2.3 * Math.exp(-first / 5000.0) + 0.1 * random.nextFloat());
                    sum += values[i];
                }
                long millis = 1_795_000_000_000L + run + first;
                jobRecords.add(new EventRecord(new StepLosses(job, 1, first / 1000, first, values, first * 1000L, 0.01), millis, "w", 0));
            }
            if (run % JOBS_A_TRANSACTION == JOBS_A_TRANSACTION - 1 || run == runs - 1) {
                offset += jobRecords.size();
                store.take(jobRecords, Map.of(new Partition("steps", 0), offset));
                jobRecords.clear();
            }
        }
        return sum;
    }
}
