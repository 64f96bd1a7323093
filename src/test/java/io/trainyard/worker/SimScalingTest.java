package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.event.JobState.Status;
import io.trainyard.worker.SimCluster.Mistake;
import io.trainyard.worker.SimTraining.Kind;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Scaling costs no work, with the workers' own code in a simulated cluster. Each test also fails if the
/// mechanism that it checks is switched off.
@ExtendWith(SilentWorkers.class)
class SimScalingTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);
    /// The time after which a worker's job counts as worth protecting, and its pod's mark has been set.
    private static final Duration LASTED = Duration.ofSeconds(61);

    private static final int LONG_JOBS = 4;
    private static final int SHORT_JOBS = 5;
    private static final int BURSTS = 2;
    private static final int BURST = 8;
    private static final int JOBS_BETWEEN = 50;

    /// All workers are busy for half an hour, and no job waits.
    private static SimCluster allBusy(long seed, Mistake mistake) {
        SimCluster cluster = new SimCluster(seed, mistake);
        cluster.submit(Kind.LONG, 1, LONG_JOBS);
        cluster.run(MINUTE.multipliedBy(3));
        cluster.run(HALF_AN_HOUR);
        return cluster;
    }

    /// Some jobs end long before the others.
    private static SimCluster scaledIn(long seed, Mistake mistake) {
        SimCluster cluster = new SimCluster(seed, mistake);
        cluster.submit(Kind.JOB, 1, SHORT_JOBS);
        cluster.submit(Kind.LONG, 1, LONG_JOBS);
        cluster.run(HALF_AN_HOUR);
        return cluster;
    }

    private static SimCluster oneJob(long seed, Mistake mistake) {
        SimCluster cluster = new SimCluster(seed, mistake);
        cluster.run(MINUTE);
        assertThat(cluster.replicas()).isZero();
        cluster.submit(Kind.LONG, 1, 1);
        cluster.await("a worker is wanted", Duration.ofMillis(500), () -> cluster.replicas() == 1);
        cluster.run(HALF_AN_HOUR);
        return cluster;
    }

    /// Some long jobs, a steady flow of short ones, and occasional bursts: again and again there are too many
    /// workers, some of them busy.
    private static SimCluster bursts(long seed, Mistake mistake) {
        SimCluster cluster = new SimCluster(seed, mistake);
        int jobs = 0;
        for (int i = 0; i < BURSTS * JOBS_BETWEEN; i++) {
            int count = i % JOBS_BETWEEN == 0 ? BURST : 1;
            cluster.submit(Kind.JOB, jobs + 1, count);
            jobs += count;
            if (i == 0) {
                cluster.submit(Kind.LONG, 1, 2); // on newer workers, which would be deleted first
            }
            cluster.run(cluster.within(Duration.ofSeconds(12)));
        }
        int all = jobs;
        cluster.await("all end", HALF_AN_HOUR, () -> cluster.jobs(Status.FINISHED) == all);
        return cluster;
    }

    @Test
    void busyWorkersAreNotStopped() {
        SimCluster cluster = allBusy(1, Mistake.NONE);
        assertThat(cluster.replicas()).isEqualTo(LONG_JOBS);
        assertThat(cluster.jobs(Status.RUNNING)).isEqualTo(LONG_JOBS);
        assertThat(cluster.stops()).isEmpty();
        assertThat(cluster.mostAttempts()).isOne();
    }

    /// Only workers without jobs are removed.
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void scalingInInterruptsNoJob(long seed) {
        SimCluster cluster = scaledIn(seed, Mistake.NONE);
        assertThat(cluster.jobs(Status.FINISHED)).isEqualTo(SHORT_JOBS);
        assertThat(cluster.jobs(Status.RUNNING)).isEqualTo(LONG_JOBS);
        assertThat(cluster.replicas()).isEqualTo(LONG_JOBS);
        assertThat(cluster.stops()).isNotEmpty();
        assertThat(cluster.interruptions()).isEmpty();
        assertThat(cluster.mostAttempts()).isOne();
    }

    /// One worker starts as soon as there is a job, and the last one goes only after all jobs have ended.
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void scalesToZeroAndFromZero(long seed) {
        SimCluster cluster = oneJob(seed, Mistake.NONE);
        assertThat(cluster.stops()).isEmpty();
        assertThat(cluster.jobs(Status.RUNNING)).isOne();
        cluster.cancel(Kind.LONG.id(1));
        cluster.await("it ends", MINUTE.multipliedBy(5), () -> cluster.jobs(Status.CANCELLED) == 1);
        Duration end = cluster.now();
        cluster.await("no worker is required", MINUTE.multipliedBy(6), () -> cluster.replicas() == 0);
        assertThat(cluster.now().minus(end)).isGreaterThan(SimAutoscaler.COOLDOWN_PERIOD.minusSeconds(30));
        assertThat(cluster.stops()).hasSize(1);
        assertThat(cluster.interruptions()).isEmpty();

        cluster.run(MINUTE);
        cluster.submit(Kind.JOB, 1, 1);
        cluster.await("a worker is wanted again", Duration.ofMillis(500), () -> cluster.replicas() == 1);
        cluster.await("the next one ends", MINUTE.multipliedBy(5), () -> cluster.jobs(Status.FINISHED) == 1);
        assertThat(cluster.mostAttempts()).isOne();
    }

    /// While jobs come and go, only jobs that ran for less than a minute may be interrupted: the mark of a
    /// worker that just finished such a job may be out of date.
    @Slow
    @Test
    void longJobsAreNotInterruptedByBursts() {
        SimCluster cluster = bursts(1, Mistake.NONE);
        assertThat(cluster.stops()).hasSizeGreaterThan(BURSTS);
        assertThat(cluster.interruptions())
                .hasSizeLessThanOrEqualTo(cluster.stops().size() / 10)
                .allSatisfy(one -> assertThat(one.after()).isLessThan(LASTED));
    }

    /// Workers would be removed as soon as they have claimed the jobs.
    @Test
    void demandOfWaitingJobsAloneStopsBusyWorkers() {
        assertThat(allBusy(1, Mistake.WAITING_JOBS_ALONE).interruptions()).isNotEmpty();
        assertThat(oneJob(1, Mistake.WAITING_JOBS_ALONE).interruptions()).isNotEmpty();
    }

    /// The newest workers would be removed first, busy or not.
    @Slow
    @Test
    void unmarkedPodsAreRemovedFromTheirJobs() {
        assertThat(scaledIn(1, Mistake.NO_MARKS).interruptions()).isNotEmpty();
        assertThat(bursts(1, Mistake.NO_MARKS).interruptions())
                .anyMatch(one -> one.after().compareTo(LASTED) > 0);
    }
}
