import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/// A day of a fleet: some jobs all the time, and sweeps that come at once.
final class Bursts {
    private static final double DAY_MILLIS = 24 * 3.6e6;

    /// Between two sweeps, on average.
    private static final double SWEEPS_APART_MILLIS = 2 * 3.6e6;

    /// Half of the jobs take less.
    private static final double MEDIAN_WORK_MILLIS = 10 * 60e3;

    private static final double LONGEST_WORK_MILLIS = 12 * 3.6e6;

    /// The share of the fleet's GPUs that other jobs than the sweeps use.
    private static final double BASE_LOAD = 0.1;

    private Bursts() {}

    /// @param gpus that the fleet may have: sweeps have a tenth to one and a half times as many jobs
    static List<FleetModel.Job> day(int gpus, long seed) {
        SplittableRandom chance = new SplittableRandom(seed);
        List<long[]> drawn = new ArrayList<>();
        double meanWork = MEDIAN_WORK_MILLIS * Math.exp(0.5);
        double apart = meanWork / (BASE_LOAD * gpus);
        for (double at = chance.nextExponential() * apart; at < DAY_MILLIS; at += chance.nextExponential() * apart) {
            drawn.add(draw(at, chance));
        }
        double sweep = chance.nextExponential() * SWEEPS_APART_MILLIS;
        while (sweep < DAY_MILLIS) {
            int count = (int) Math.ceil(gpus * (0.1 + 1.4 * chance.nextDouble() * chance.nextDouble()));
            for (int i = 0; i < count; i++) {
                drawn.add(draw(sweep + 10 * i, chance));
            }
            sweep += chance.nextExponential() * SWEEPS_APART_MILLIS;
        }
        drawn.sort(Comparator.comparingLong(job -> job[0]));
        List<FleetModel.Job> jobs = new ArrayList<>();
        for (long[] job : drawn) {
            jobs.add(new FleetModel.Job(jobs.size(), job[0], (int) job[1], job[2]));
        }
        return jobs;
    }

    /// One in ten is urgent, one in ten not at all.
    private static long[] draw(double atMillis, SplittableRandom chance) {
        int lot = chance.nextInt(10);
        double work = Math.min(LONGEST_WORK_MILLIS, MEDIAN_WORK_MILLIS * Math.exp(chance.nextGaussian()));
        return new long[] {(long) atMillis, lot == 0 ? 0 : lot == 1 ? 2 : 1, (long) work};
    }
}
