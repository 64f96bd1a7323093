package io.trainyard.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.event.WorkerStatus;
import io.trainyard.topics.Priority;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OwnershipMonitorTest {
    private static final int BEATS = 8;

    private final OwnershipMonitor monitor =
            new OwnershipMonitor("me", new OwnershipMonitor.Rules(BEATS, 3), new ControlRequests());

    private static CommandContent request(String job, int attempt) {
        return Requests.of(job, attempt).in("store");
    }

    private void owns(String worker, String job, int attempt) {
        monitor.ownership(job, Ownership.running(request(job, attempt), worker));
    }

    private void beat(int times) {
        for (int i = 0; i < times; i++) {
            monitor.received("me", List.of());
        }
    }

    private void desiredState(String job, DesiredState desiredState, @Nullable RequestedPriority requestedPriority) {
        monitor.control(job, new Control(job, desiredState, requestedPriority, Instant.EPOCH), true);
    }

    @Test
    void returnsAJobOfAnotherWorker() {
        monitor.ownership("rests", Ownership.paused(request("rests", 1), "w"));
        owns("me", "mine", 1);
        assertThat(monitor.underWay()).isEmpty();
        owns("w", "theirs", 1);
        assertThat(monitor.underWay()).contains(request("theirs", 1).job());
    }

    @Test
    void anOwnerWithoutHeartbeatsLosesItsJob() {
        owns("w", "job", 1);
        beat(BEATS - 1);
        assertThat(monitor.due()).isEmpty();
        beat(1);
        assertThat(monitor.due()).containsExactly(new RecoveryAction.Republish(request("job", 2), 1, false));
        assertThat(monitor.due()).as("once").isEmpty();
    }

    @Test
    void anOwnerWithHeartbeatsKeepsItsJob() {
        owns("w", "job", 1);
        for (int i = 0; i < 5 * BEATS; i++) {
            beat(1);
            monitor.received("w", List.of(new WorkerStatus.Job("job", 1, 0)));
            assertThat(monitor.due()).isEmpty();
        }
    }

    /// The answer to its ACCEPT was lost: the worker lives without the job.
    @Test
    void anOwnerWhoseHeartbeatsOmitTheJobLosesIt() {
        owns("w", "job", 1);
        for (int i = 0; i < BEATS; i++) {
            monitor.received("w", List.of(new WorkerStatus.Job("another", 1, 0)));
            beat(1);
        }
        monitor.stopped("w"); // so that this worker is the first in the order
        assertThat(monitor.due()).containsExactly(new RecoveryAction.Republish(request("job", 2), 1, false));
    }

    @Test
    void onlyOwnHeartbeatsCountAsTime() {
        owns("w", "job", 1);
        for (int i = 0; i < 10 * BEATS; i++) {
            monitor.received("other", List.of());
        }
        assertThat(monitor.due()).isEmpty();
    }

    @Test
    void waitingCommandsAreRepublishedAtGrowingIntervals() {
        monitor.ownership("job", Ownership.waiting(request("job", 2), "w", 1));
        beat(2 * BEATS - 1);
        assertThat(monitor.due()).isEmpty();
        beat(1);
        assertThat(monitor.due()).containsExactly(new RecoveryAction.Republish(request("job", 2), 2, false));
        monitor.ownership("job", Ownership.waiting(request("job", 2), "me", 2));
        beat(4 * BEATS - 1);
        assertThat(monitor.due()).isEmpty();
        beat(1);
        assertThat(monitor.due()).containsExactly(new RecoveryAction.Republish(request("job", 2), 3, false));
    }

    @Test
    void anUnfinishedActionBecomesDueAgain() {
        owns("w", "job", 1);
        beat(BEATS);
        assertThat(monitor.due()).hasSize(1);
        beat(BEATS - 1);
        assertThat(monitor.due()).isEmpty();
        beat(1);
        assertThat(monitor.due()).hasSize(1);
    }

    @Test
    void oneOfAllMonitorsActsFirst() {
        List<String> workers = List.of("me", "x", "y", "z");
        int first = 0;
        for (String self : workers) {
            OwnershipMonitor one =
                    new OwnershipMonitor(self, new OwnershipMonitor.Rules(BEATS, 3), new ControlRequests());
            one.ownership("job", Ownership.running(request("job", 1), "gone"));
            for (int i = 0; i < BEATS; i++) {
                workers.stream()
                        .filter(worker -> !worker.equals(self))
                        .forEach(worker -> one.received(worker, List.of()));
                one.received(self, List.of());
            }
            first += one.due().size();
            for (int i = 0; i < 2 * workers.size(); i++) {
                workers.stream()
                        .filter(worker -> !worker.equals(self))
                        .forEach(worker -> one.received(worker, List.of()));
                one.received(self, List.of());
            }
            first += one.due().isEmpty() ? 0 : 100; // later, when it is the others' turn
        }
        assertThat(first % 100).isEqualTo(1);
        assertThat(first / 100).isBetween(workers.size() - 1, workers.size());
    }

    /// A worker that was frozen publishes an outdated record.
    @Test
    void anOlderAttemptNeverReplacesANewerOne() {
        owns("b", "job", 2);
        owns("a", "job", 1);
        beat(BEATS);
        assertThat(monitor.due()).containsExactly(new RecoveryAction.Republish(request("job", 3), 1, false));
    }

    @Test
    void aHeartbeatWithANewerAttemptChangesTheOwner() {
        owns("a", "job", 1);
        monitor.received("b", List.of(new WorkerStatus.Job("job", 2, 0)));
        monitor.stopped("b");
        beat(BEATS);
        assertThat(monitor.due()).containsExactly(new RecoveryAction.Republish(request("job", 3), 1, false));
    }

    @Test
    void anEndedJobIsNotWatched() {
        owns("w", "job", 1);
        monitor.ownership("job", null);
        beat(5 * BEATS);
        assertThat(monitor.due()).isEmpty();
    }

    @Test
    void aPausedJobStaysPausedUntilResumed() {
        desiredState("job", DesiredState.PAUSE, null);
        monitor.ownership("job", Ownership.paused(request("job", 2), "w"));
        assertThat(monitor.due()).isEmpty();
        beat(20 * BEATS);
        assertThat(monitor.due()).isEmpty();
        desiredState("job", DesiredState.RUN, RequestedPriority.HIGH);
        assertThat(monitor.due())
                .containsExactly(new RecoveryAction.Republish(request("job", 2).at(Priority.HIGH), 1, true));
    }

    @Test
    void aPausedJobEndsWhenCancelled() {
        monitor.ownership("job", Ownership.paused(request("job", 2), "w"));
        desiredState("job", DesiredState.CANCEL, null);
        assertThat(monitor.due()).containsExactly(new RecoveryAction.Cancel("job"));
    }

    @Test
    void controlRequestsForQueuedJobsArePublishedAtOnce() {
        desiredState("job", DesiredState.PAUSE, null);
        assertThat(monitor.due()).containsExactly(new RecoveryAction.PublishPaused("job", false));
        desiredState("job", DesiredState.RUN, null);
        assertThat(monitor.due()).containsExactly(new RecoveryAction.PublishResumed("job", false));
        desiredState("job", DesiredState.CANCEL, null);
        assertThat(monitor.due()).containsExactly(new RecoveryAction.Cancel("job"));
        assertThat(monitor.due()).isEmpty();
    }

    @Test
    void controlRequestsForOwnedJobsNeedNoAction() {
        owns("w", "job", 1);
        monitor.received("w", List.of(new WorkerStatus.Job("job", 1, 0)));
        desiredState("job", DesiredState.CANCEL, null);
        assertThat(monitor.due()).isEmpty();
    }

    @Test
    void requestsFromBeforeAreKnownAndNotRepublished() {
        monitor.control("job", new Control("job", DesiredState.CANCEL, null, Instant.EPOCH), false);
        assertThat(monitor.desiredState("job")).isEqualTo(DesiredState.CANCEL);
        assertThat(monitor.due()).isEmpty();
    }

    @Test
    void noMoreJobsAreWatchedThanAllowed() {
        for (int i = 0; i < 5; i++) {
            owns("w", "job-" + i, 1);
        }
        assertThat(monitor.overlooked()).isEqualTo(2);
        beat(BEATS);
        assertThat(monitor.due()).hasSize(3);
    }

    @Test
    void unwatchedJobsAreReadAgainWhenThereIsCapacity() {
        for (int i = 0; i < 5; i++) {
            owns("w", "job-" + i, 1);
        }
        assertThat(monitor.hasCapacityAgain()).isFalse();
        monitor.ownership("job-0", null);
        assertThat(monitor.hasCapacityAgain()).isTrue();
        monitor.readAgain();
        owns("w", "job-3", 1);
        beat(BEATS);
        assertThat(monitor.due()).hasSize(3);
    }

    @Test
    void anUnwatchedJobThatEndedIsNotReadAgain() {
        for (int i = 0; i < 4; i++) {
            owns("w", "job-" + i, 1);
        }
        monitor.ownership("job-3", null);
        monitor.ownership("job-0", null);
        assertThat(monitor.hasCapacityAgain()).isFalse();
    }

    /// Old records of ended jobs come before the job that did not fit into the limit.
    @Test
    void endedJobsUseNoCapacityWhenTheTopicIsReadAgain() {
        for (int i = 0; i < 4; i++) {
            owns("w", "job-" + i, 1);
        }
        monitor.ownership("job-0", null);
        monitor.readAgain();
        for (int i = 0; i < 4; i++) {
            owns("w", "job-" + i, 1);
        }
        monitor.ownership("job-0", null);
        monitor.caughtUp();
        assertThat(monitor.hasCapacityAgain()).isFalse();
        assertThat(monitor.ownership("job-3")).isNotNull();
    }

    @Test
    void aJobThatIsOwnedAgainKeepsItsCapacity() {
        for (int i = 0; i < 4; i++) {
            owns("w", "job-" + i, 1);
        }
        monitor.ownership("job-0", null);
        monitor.readAgain();
        owns("w", "job-3", 1);
        monitor.ownership("job-3", null);
        owns("w", "ended", 1);
        owns("w", "job-3", 1);
        monitor.ownership("ended", null);
        monitor.caughtUp();
        assertThat(monitor.ownership("job-3")).isNotNull();
    }

    @Test
    void newJobsAreWatchedDuringARereadIfThereIsCapacity() {
        for (int i = 0; i < 4; i++) {
            owns("w", "job-" + i, 1);
        }
        monitor.ownership("job-0", null);
        monitor.ownership("job-1", null);
        monitor.readAgain();
        owns("w", "job-3", 1);
        owns("w", "new", 1);
        monitor.caughtUp();
        assertThat(monitor.hasCapacityAgain()).isFalse();
        assertThat(monitor.ownership("new")).isNotNull();
    }

    /// Without new records of a job, nothing becomes due between two heartbeats of this worker.
    @Test
    void aJobWithANewRecordIsJudgedAtOnce() {
        owns("w", "job", 1);
        beat(BEATS);
        assertThat(monitor.due()).hasSize(1);
        monitor.ownership("rests", Ownership.paused(request("rests", 1), "w"));
        assertThat(monitor.due()).containsExactly(new RecoveryAction.Republish(request("rests", 1), 1, true));
    }

    /// The least of several measurements, because other threads of this process allocate, too.
    @Slow
    @Test
    void aPausedJobUsesFewBytes() {
        long each = Long.MAX_VALUE;
        for (int i = 0; i < 5 && each >= 400; i++) {
            each = Math.min(each, bytesOfAPausedJob());
        }
        assertThat(each).isBetween(40L, 399L);
    }

    private static long bytesOfAPausedJob() {
        int jobs = 20_000;
        OwnershipMonitor many =
                new OwnershipMonitor("me", new OwnershipMonitor.Rules(BEATS, jobs), new ControlRequests());
        long before = usedBytes();
        for (int i = 0; i < jobs; i++) {
            many.ownership("trial-" + i, Ownership.paused(request("trial-" + i, 1), "w"));
        }
        long each = (usedBytes() - before) / jobs;
        assertThat(many.request("trial-7")).isEqualTo(request("trial-7", 1));
        return each;
    }

    private static long usedBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
