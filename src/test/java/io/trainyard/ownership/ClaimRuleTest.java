package io.trainyard.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.checkpoint.ChainLink.Pause;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.ownership.ClaimRule.Delivery;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClaimRuleTest {
    private static final End END = new End("{}");
    private static final Owner OTHER = Owner.of("a", "commands-0@7", 1);

    private static ClaimDecision verdict(int attempt, String place, int delivery, StoredJob stored) {
        return verdict(attempt, place, delivery, stored, DesiredState.RUN);
    }

    private static ClaimDecision verdict(
            int attempt, String place, int delivery, StoredJob stored, DesiredState desiredState) {
        return ClaimRule.of(new Delivery(Requests.of("job", attempt), place, delivery), stored, desiredState);
    }

    private static StoredJob stored(int last, @Nullable ChainLink link) {
        return new StoredJob("store", true, last, link);
    }

    private static StoredJob ended() {
        return new StoredJob("store", true, 2, END);
    }

    @Test
    void aCommandOfANewJobBeginsItsFirstAttempt() {
        assertThat(verdict(1, "commands-0@1", 1, stored(0, null))).isEqualTo(new ClaimDecision.BeginAttempt(1));
    }

    @Test
    void theNextCommandBeginsTheNextAttempt() {
        assertThat(verdict(2, "commands-0@9", 1, stored(1, OTHER))).isEqualTo(new ClaimDecision.BeginAttempt(2));
    }

    @Test
    void aSecondCopyIsVoid() {
        assertThat(verdict(1, "commands-0@9", 1, stored(1, OTHER))).isEqualTo(new ClaimDecision.Void(1, OTHER));
        assertThat(verdict(1, "commands-0@9", 4, stored(1, OTHER))).isEqualTo(new ClaimDecision.Void(1, OTHER));
        assertThat(verdict(2, "commands-0@9", 1, stored(3, OTHER))).isEqualTo(new ClaimDecision.Void(3, OTHER));
    }

    @Test
    void aRedeliveredRecordBeginsTheNextAttempt() {
        assertThat(verdict(1, OTHER.place(), 2, stored(1, OTHER))).isEqualTo(new ClaimDecision.BeginAttempt(2));
        assertThat(verdict(1, OTHER.place(), 3, stored(2, Owner.of("b", OTHER.place(), 2))))
                .isEqualTo(new ClaimDecision.BeginAttempt(3));
    }

    /// A buffered command whose lock expired, so that another worker started it, must not take the job from
    /// that worker.
    @Test
    void aStaleDeliveryOfTheSameRecordIsVoid() {
        Owner later = Owner.of("b", OTHER.place(), 2);
        assertThat(verdict(1, OTHER.place(), 1, stored(1, later))).isEqualTo(new ClaimDecision.Void(1, later));
        assertThat(verdict(1, OTHER.place(), 2, stored(1, later))).isEqualTo(new ClaimDecision.Void(1, later));
    }

    @Test
    void anEndIsPublishedAgainForAnyDesiredState() {
        for (DesiredState desiredState : DesiredState.values()) {
            assertThat(verdict(1, "commands-0@9", 1, ended(), desiredState))
                    .isEqualTo(new ClaimDecision.RepublishEnd(2, END));
            assertThat(verdict(5, "commands-0@9", 1, ended(), desiredState))
                    .isEqualTo(new ClaimDecision.RepublishEnd(2, END));
        }
    }

    @Test
    void anotherJobWithTheSameIdIsRejected() {
        StoredJob conflict = new StoredJob("store", false, 4, END);
        assertThat(verdict(1, "commands-0@9", 1, conflict, DesiredState.CANCEL))
                .isEqualTo(new ClaimDecision.Reject("the id \"job\" belongs to another job already; use another id"));
    }

    @Test
    void controlRequestsApplyToUnownedJobs() {
        assertThat(verdict(1, "commands-0@9", 1, stored(0, null), DesiredState.CANCEL))
                .isEqualTo(new ClaimDecision.Cancel());
        assertThat(verdict(2, "commands-0@9", 1, stored(1, OTHER), DesiredState.PAUSE))
                .isEqualTo(new ClaimDecision.Pause(2));
        assertThat(verdict(1, "commands-0@9", 1, stored(1, OTHER), DesiredState.PAUSE))
                .as("a copy of an owned command is void")
                .isEqualTo(new ClaimDecision.Void(1, OTHER));
    }

    /// After a pause the job has no owner, so any attempt number in the command is valid.
    @Test
    void afterAPauseTheNextAttemptBegins() {
        Pause pause = new Pause("{}");
        assertThat(verdict(3, "commands-0@9", 1, stored(2, pause))).isEqualTo(new ClaimDecision.BeginAttempt(3));
        assertThat(verdict(2, "commands-0@9", 1, stored(2, pause))).isEqualTo(new ClaimDecision.BeginAttempt(3));
        assertThat(verdict(2, "commands-0@9", 1, stored(2, pause), DesiredState.PAUSE))
                .isEqualTo(new ClaimDecision.Pause(2));
        assertThat(verdict(2, "commands-0@9", 1, stored(2, pause), DesiredState.CANCEL))
                .isEqualTo(new ClaimDecision.Cancel());
    }

    @Test
    void aForgedAttemptNumberIsRejected() {
        assertThat(verdict(1_002, "commands-0@9", 1, stored(1, OTHER)))
                .isEqualTo(new ClaimDecision.Reject(
                        "the command requests attempt 1002; the job's last was 1, and allowed is up to 1001"));
        assertThat(verdict(Integer.MAX_VALUE, "commands-0@9", 1, stored(0, null)))
                .isInstanceOf(ClaimDecision.Reject.class);
        assertThat(verdict(5, "commands-0@9", 1, stored(1, OTHER)))
                .as("a chain has no gaps")
                .isEqualTo(new ClaimDecision.BeginAttempt(2));
        assertThat(verdict(5, "commands-0@9", 1, stored(0, null)))
                .as("the store was emptied")
                .isEqualTo(new ClaimDecision.BeginAttempt(5));
    }

    @Test
    void aJobOfAnotherStoreIsNotClaimed() {
        CommandContent elsewhere = Requests.of("job", 2).in("theirs");
        assertThat(ClaimRule.of(new Delivery(elsewhere, "commands-0@9", 1), stored(0, null), DesiredState.CANCEL))
                .isEqualTo(new ClaimDecision.OtherStore("theirs"));
        assertThat(ClaimRule.of(
                        new Delivery(Requests.of("job", 2).in("store"), "commands-0@9", 1),
                        stored(1, OTHER),
                        DesiredState.RUN))
                .isEqualTo(new ClaimDecision.BeginAttempt(2));
    }
}
