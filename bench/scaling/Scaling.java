import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The cost of scaling policies and the waits of jobs: the tables of docs/evidence/scaling.md, from a model of pods, nodes
/// and an autoscaler for up to ten thousand GPUs.
///
///     java bench/scaling/Scaling.java
public final class Scaling {
    private static final int SEEDS = 5;
    private static final long POD_MILLIS = 15_000;
    private static final long LINGER_MILLIS = 60_000;

    /// A row of a table.
    ///
    /// @param least the minimum of workers, as a part of the maximum
    private record Case(int gpus, Policy.Metric metric, int cooldownSeconds, double least, int nodeSeconds, boolean cost) {
        Case as(Policy.Metric other) {
            return new Case(gpus, other, cooldownSeconds, least, nodeSeconds, cost);
        }

        Case of(int more) {
            return new Case(more, metric, cooldownSeconds, least, nodeSeconds, cost);
        }

        Case cooling(int seconds) {
            return new Case(gpus, metric, seconds, least, nodeSeconds, cost);
        }

        Case nodesIn(int seconds) {
            return new Case(gpus, metric, cooldownSeconds, least, seconds, cost);
        }

        Case keeping(double part) {
            return new Case(gpus, metric, cooldownSeconds, part, nodeSeconds, cost);
        }

        Case withoutCost() {
            return new Case(gpus, metric, cooldownSeconds, least, nodeSeconds, false);
        }

        Outcome run(int seeds) {
            double hours = 0;
            double work = 0;
            double median = 0;
            double late = 0;
            double interrupted = 0;
            for (int seed = 1; seed <= seeds; seed++) {
                List<FleetModel.Job> jobs = Bursts.day(gpus, seed);
                Policy policy =
                        new Policy(metric, Duration.ofSeconds(cooldownSeconds), (int) Math.ceil(least * gpus), gpus);
                FleetModel fleet = new FleetModel(
                                new FleetModel.Cluster(1000L * nodeSeconds, POD_MILLIS, LINGER_MILLIS, cost), jobs, seed)
                        .run(policy);
                double[] waits = fleet.waits();
                hours += fleet.gpuHours() / seeds;
                work += jobs.stream().mapToLong(FleetModel.Job::workMillis).sum() / 3.6e6 / seeds;
                median += waits[waits.length / 2] / seeds;
                late += waits[waits.length * 95 / 100] / seeds;
                interrupted += (double) fleet.interruptions() / seeds;
            }
            return new Outcome(hours, 100 * work / hours, median, late, interrupted);
        }
    }

    /// @param used percentage of the hours in which jobs ran
    /// @param late the 95th percentile of the waits, in seconds
    private record Outcome(double hours, double used, double median, double late, double interrupted) {
        String row() {
            return String.format(
                    Locale.ROOT, "%,.0f | %.0f %% | %,.0f s | %,.0f s | %,.0f", hours, used, median, late, interrupted);
        }
    }

    private static final Case USUAL = new Case(1000, Policy.Metric.DEMAND, 300, 0, 120, true);

    private static String name(Policy.Metric metric) {
        return switch (metric) {
            case FIXED -> "fixed";
            case QUEUED -> "queued";
            case DEMAND -> "queued + running";
        };
    }

    private static List<String> sizes(int most) {
        List<String> rows = new ArrayList<>();
        for (int gpus = 10; gpus <= most; gpus *= 10) {
            for (Policy.Metric metric : Policy.Metric.values()) {
                rows.add("| %,d | %s | %s |"
                        .formatted(
                                gpus,
                                name(metric),
                                USUAL.of(gpus).as(metric).run(SEEDS).row()));
            }
        }
        return rows;
    }

    private static List<String> cooldowns() {
        List<String> rows = new ArrayList<>();
        for (int node : new int[] {60, 180, 300}) {
            for (int cooldown : new int[] {60, 300, 900}) {
                rows.add("| %d s | %d s | %s |"
                        .formatted(
                                node,
                                cooldown,
                                USUAL.nodesIn(node).cooling(cooldown).run(SEEDS).row()));
            }
        }
        return rows;
    }

    private static List<String> costs() {
        List<String> rows = new ArrayList<>();
        for (Policy.Metric metric : new Policy.Metric[] {Policy.Metric.QUEUED, Policy.Metric.DEMAND}) {
            for (int cooldown : new int[] {60, 300, 900}) {
                Case one = USUAL.as(metric).cooling(cooldown);
                rows.add("| %s | %d s | no | %s |"
                        .formatted(
                                name(metric),
                                cooldown,
                                one.withoutCost().run(SEEDS).row()));
                rows.add("| %s | %d s | yes | %s |"
                        .formatted(name(metric), cooldown, one.run(SEEDS).row()));
            }
        }
        return rows;
    }

    private static List<String> floors() {
        List<String> rows = new ArrayList<>();
        for (double least : new double[] {0, 0.1, 0.3}) {
            rows.add("| %,d | %s |"
                    .formatted(
                            (int) (least * USUAL.gpus()),
                            USUAL.keeping(least).run(SEEDS).row()));
        }
        return rows;
    }

    public static void main(String[] arguments) {
        List.of(sizes(10_000), cooldowns(), costs(), floors()).forEach(table -> {
            table.forEach(System.out::println);
            System.out.println();
        });
    }
}
