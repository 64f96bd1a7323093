package io.trainyard.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.ownership.DeferredByVersion.Deferral;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeferredByVersionTest {
    private static final int BEATS = 8;
    private static final int PATIENCE = 20;

    private final OwnershipMonitor monitor =
            new OwnershipMonitor("me", new OwnershipMonitor.Rules(BEATS, 3), new ControlRequests());
    private final DeferredByVersion<String> deferrals =
            new DeferredByVersion<>(monitor, new DeferredByVersion.Rules(2, PATIENCE));

    private static Deferral<String> deferral(String key, int schemaVersion) {
        return new Deferral<>(key, schemaVersion, 100, "command");
    }

    private void beat(int times, String... others) {
        for (int i = 0; i < times; i++) {
            monitor.received("me", List.of());
            for (String other : others) {
                monitor.received(other, List.of());
            }
        }
    }

    @Test
    void onlyWorkersWithTheSchemaVersionMayClaim() {
        deferrals.add(deferral("a/here", 2));
        deferrals.add(deferral("b/here", 3));
        assertThat(deferrals.due()).extracting(Deferral::key).containsExactly("a/here");
        deferrals.remove("a/here");
        assertThat(deferrals.due()).isEmpty();
    }

    /// The order of workers differs per command. The second worker takes it later, in case the first is busy.
    @Test
    void theFirstWorkerMayClaimAtOnceAndTheOthersLater() {
        deferrals.received("other", 2);
        beat(1, "other");
        for (int i = 0; i < 20; i++) {
            deferrals.add(deferral("job-%d/here".formatted(i), 2));
        }
        assertThat(deferrals.due()).hasSizeBetween(1, 19);
        beat(2, "other");
        assertThat(deferrals.due()).hasSize(20);
    }

    /// A worker that cannot run the command is not waited for.
    @Test
    void workersWithOlderSchemaVersionsAreNotInTheOrder() {
        deferrals.received("old", 1);
        beat(1, "old");
        for (int i = 0; i < 20; i++) {
            deferrals.add(deferral("job-%d/here".formatted(i), 2));
        }
        assertThat(deferrals.due()).hasSize(20);
        assertThat(DeferredByVersion.able(2, deferrals.live())).containsExactly("me");
        assertThat(DeferredByVersion.able(1, deferrals.live())).containsExactlyInAnyOrder("me", "old");
    }

    @Test
    void anUnsupportedCommandIsGivenUpOnce() {
        deferrals.add(deferral("a/here", 3));
        beat(PATIENCE - 1);
        assertThat(deferrals.unsupported()).isEmpty();
        beat(1);
        assertThat(deferrals.unsupported()).extracting(Deferral::key).containsExactly("a/here");
        assertThat(deferrals.unsupported()).as("once").isEmpty();
        beat(PATIENCE);
        assertThat(deferrals.unsupported())
                .as("again, where it is not done by then")
                .hasSize(1);
    }

    @Test
    void aCommandWaitsWhileALiveWorkerSupportsIt() {
        deferrals.add(deferral("a/here", 3));
        deferrals.received("newer", 3);
        for (int i = 0; i < 5 * PATIENCE; i++) {
            beat(1, "newer");
            assertThat(deferrals.unsupported()).isEmpty();
        }
        for (int i = 0; i < BEATS + PATIENCE - 2; i++) {
            beat(1);
            assertThat(deferrals.unsupported()).as("a while after it is gone").isEmpty();
        }
        beat(1);
        assertThat(deferrals.unsupported()).hasSize(1);
    }

    @Test
    void deferralsAreLimited() {
        for (int i = 0; i < DeferredByVersion.MAX_COMMANDS; i++) {
            assertThat(deferrals.isFull()).isFalse();
            deferrals.add(deferral("job-%d/here".formatted(i), 2));
        }
        assertThat(deferrals.isFull()).isTrue();
        deferrals.remove("job-7/here");
        assertThat(deferrals.isFull()).isFalse();
        deferrals.add(new Deferral<>("large/here", 2, (int) DeferredByVersion.MAX_BYTES, ""));
        assertThat(deferrals.isFull()).isTrue();
        for (String twice : List.of("large/here", "large/here")) {
            deferrals.remove(twice);
        }
        assertThat(deferrals.isFull()).isFalse();
    }
}
