package io.trainyard.worker;

import static io.trainyard.worker.SimTraining.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.topics.Priority;
import io.trainyard.worker.SimTraining.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Control requests for jobs that are deferred because of their project's quota, and the effect of such jobs on
/// others.
@ExtendWith(SilentWorkers.class)
class SimDeferredTest {
    private static final String RUNS = Kind.MINUTES.id(number(1, 1));
    private static final String FIRST = Kind.TINY.id(number(1, 2));
    private static final String SECOND = Kind.TINY.id(number(1, 3));
    private static final String OTHERS = Kind.MINUTES.id(number(2, 1));
    private static final String HIGH_PRIORITY = Kind.TINY.id(number(3, 1));

    private final SimDeferred fleet = new SimDeferred();

    @Test
    void aCancelledJobEndsDespiteItsProjectsQuota() {
        fleet.run(RUNS, Priority.NORMAL);
        fleet.deferForProject(FIRST, Priority.NORMAL);
        fleet.desiredState(FIRST, DesiredState.CANCEL);
        fleet.until("its end", () -> fleet.isPublished(FIRST, Cancelled.class));
        assertThat(fleet.isPublished(RUNS, Finished.class))
                .as("the other runs still")
                .isFalse();
        fleet.until("the other's end", () -> fleet.isPublished(RUNS, Finished.class));
        assertThat(fleet.claims(FIRST)).isZero();
        assertThat(fleet.isDeferred(FIRST)).isFalse();
        assertThat(fleet.wrong()).isEmpty();
    }

    @Test
    void aPausedJobContinuesWhenTheQuotaAllows() {
        fleet.run(RUNS, Priority.NORMAL);
        fleet.deferForProject(FIRST, Priority.NORMAL);
        fleet.desiredState(FIRST, DesiredState.PAUSE);
        fleet.until("its pause", () -> fleet.isPublished(FIRST, Paused.class) && !fleet.isDeferred(FIRST));
        fleet.until("the other's end", () -> fleet.isPublished(RUNS, Finished.class));
        fleet.pass(Duration.ofMinutes(2));
        assertThat(fleet.claims(FIRST))
                .as("it is paused, although a slot is free")
                .isZero();
        fleet.desiredState(FIRST, DesiredState.RUN);
        fleet.until("its end", () -> fleet.isPublished(FIRST, Finished.class));
        assertThat(fleet.isPublished(FIRST, Resumed.class)).isTrue();
        assertThat(fleet.claims(FIRST)).isOne();
        assertThat(fleet.wrong()).isEmpty();
    }

    /// A copy on a topic of higher priority, as `reprioritize` makes one, invalidates the deferred command.
    @Test
    void aReprioritizedJobComesFirstAndRunsOnce() {
        fleet.run(RUNS, Priority.NORMAL);
        fleet.deferForProject(FIRST, Priority.NORMAL);
        fleet.deferForProject(SECOND, Priority.NORMAL);
        fleet.submit(SECOND, Priority.HIGH);
        fleet.until(
                "both ends",
                () -> fleet.isPublished(FIRST, Finished.class) && fleet.isPublished(SECOND, Finished.class));
        fleet.pass(Duration.ofMinutes(2));
        assertThat(fleet.claimed()).containsExactly(RUNS, SECOND, FIRST);
        assertThat(fleet.isDeferred(SECOND)).isFalse();
        assertThat(fleet.wrong()).isEmpty();
    }

    /// Preemption would not help, because the project is at its quota.
    @Test
    void aDeferredHighPriorityJobPreemptsNothing() {
        fleet.run(RUNS, Priority.NORMAL);
        fleet.deferForProject(FIRST, Priority.HIGH);
        fleet.run(OTHERS, Priority.LOW);
        fleet.pass(Duration.ofSeconds(60));
        assertThat(fleet.isAnyPublished(Released.class)).isFalse();
        fleet.submit(HIGH_PRIORITY, Priority.HIGH);
        fleet.until("a project without a quota has its way", () -> fleet.isPublished(HIGH_PRIORITY, Finished.class));
        assertThat(fleet.isPublished(OTHERS, Released.class)).isTrue();
        assertThat(fleet.isPublished(RUNS, Released.class)).isFalse();
    }

    /// The same while the command is still on its topic because no slot is free to fetch it.
    @Test
    void aHighPriorityJobBeyondItsQuotaPreemptsNothing() {
        fleet.run(RUNS, Priority.NORMAL);
        fleet.run(OTHERS, Priority.LOW);
        fleet.submit(FIRST, Priority.HIGH);
        fleet.pass(Duration.ofSeconds(60));
        assertThat(fleet.isAnyPublished(Released.class)).isFalse();
        fleet.until("its end", () -> fleet.isPublished(FIRST, Finished.class));
        assertThat(fleet.claims(FIRST)).isOne();
        assertThat(fleet.isAnyPublished(Released.class)).isFalse();
        fleet.until(
                "the end of the others",
                () -> fleet.isPublished(RUNS, Finished.class) && fleet.isPublished(OTHERS, Finished.class));
        assertThat(fleet.wrong()).isEmpty();
    }

    /// Another worker may have taken the job that the slot was reserved for.
    @Test
    void anUnusedPlaceIsReleased() {
        SimDeferred keeping = new SimDeferred(new SimSeams() {
            @Override
            public ClaimPriorities order(ClaimPriorities real) {
                real.preempted();
                return real;
            }
        });
        keeping.run(OTHERS, Priority.LOW);
        assertThat(keeping.claims(OTHERS)).isOne();
    }

    /// The high-priority command is locked by a member that does nothing with it.
    @Test
    void aPlaceIsReservedForALimitedTime() {
        List<ClaimPriorities> orders = new ArrayList<>();
        SimDeferred keeping = new SimDeferred(new SimSeams() {
            @Override
            public ClaimPriorities order(ClaimPriorities real) {
                orders.add(real);
                return real;
            }
        });
        keeping.pass(Duration.ofSeconds(30)); // the worker has joined
        keeping.submit(HIGH_PRIORITY, Priority.HIGH);
        keeping.lockElsewhere(HIGH_PRIORITY, Priority.HIGH);
        keeping.pass(Duration.ofSeconds(1)); // and has read the waiting commands
        orders.forEach(ClaimPriorities::preempted);
        keeping.submit(OTHERS, Priority.LOW);
        keeping.pass(Duration.ofSeconds(8));
        assertThat(keeping.claimed()).as("it is kept").isEmpty();
        keeping.until("the place to be let go", () -> keeping.claims(OTHERS) > 0);
        assertThat(keeping.claimed()).containsExactly(OTHERS);
    }
}
