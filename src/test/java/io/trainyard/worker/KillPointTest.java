package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.worker.KillPoint.Plan;
import org.junit.jupiter.api.Test;

/// The system property that sets a kill point in a process under test.
final class KillPointTest {
    @Test
    void parsesPointCountAndAction() {
        assertThat(Plan.parse("polled")).isEqualTo(new Plan(KillPoint.POLLED, 1, false));
        assertThat(Plan.parse("polled:stop")).isEqualTo(new Plan(KillPoint.POLLED, 1, true));
        assertThat(Plan.parse("files-written#3")).isEqualTo(new Plan(KillPoint.FILES_WRITTEN, 3, false));
        assertThat(Plan.parse("files-written#3:stop")).isEqualTo(new Plan(KillPoint.FILES_WRITTEN, 3, true));
    }

    @Test
    void rejectsUnknownPoints() {
        assertThatThrownBy(() -> Plan.parse("poled"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("killpoint is \"poled\"; allowed is one of polled, attempt-created,")
                .hasMessageEndingWith("outcome-published");
    }

    @Test
    void noPointIsSetByDefault() {
        assertThat(KillPoint.areSet()).isFalse();
    }
}
