package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatus.Gathering;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Whose turn it is to gather workers, by what all hear.
class InvitationTest {
    private final FleetView view = new FleetView("me", Instant.EPOCH);

    private static WorkerStatus status(String worker, boolean takesParts, @Nullable Gathering gathering) {
        return new WorkerStatus(
                worker,
                "cpu",
                null,
                null,
                0,
                0,
                0,
                false,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                gathering == null ? null : List.of(gathering),
                takesParts ? List.of() : null,
                null);
    }

    private static Gathering gathering(String job, int attempt, int workers, int missing) {
        return new Gathering(job, attempt, workers, missing, "host", 1);
    }

    private List<String> jobs() {
        return view.gatherings().stream().map(Invitation::job).toList();
    }

    @Test
    void whoHasWaitedInVainLetsOthersGoFirst() {
        view.live(Map.of("a", 3, "b", 3, "c", 3));
        view.heard(status("a", true, gathering("often", 3, 2, 1)));
        view.heard(status("b", true, gathering("new", 1, 3, 2)));
        view.heard(status("c", true, gathering("again", 2, 2, 1)));
        assertThat(jobs()).containsExactly("new", "again", "often");
    }

    @Test
    void whatIsForMoreWorkersThanTakePartsIsNobodysTurn() {
        view.live(Map.of("a", 3, "b", 3, "c", 3));
        view.heard(status("a", true, gathering("job", 1, 3, 2)));
        view.heard(status("b", true, null));
        view.heard(status("c", false, null));
        assertThat(jobs()).isEmpty();
        view.heard(status("c", true, null));
        assertThat(jobs()).containsExactly("job");
        view.live(Map.of("a", 3, "b", 3));
        assertThat(jobs()).isEmpty();
    }

    @Test
    void whatIsCompleteOrWhoseWorkerIsNotHeardInvitesNobody() {
        view.live(Map.of("a", 3, "b", 3));
        view.heard(status("b", true, null));
        view.heard(status("a", true, gathering("job", 1, 2, 0)));
        assertThat(jobs()).isEmpty();
        view.heard(status("a", true, gathering("job", 1, 2, 1)));
        view.live(Map.of("b", 3));
        assertThat(jobs()).isEmpty();
    }

    /// In which order they are heard plays no part, nor is a name always before another.
    @Test
    void allSeeTheSameOrderAndNoNameIsAlwaysFirst() {
        List<Invitation> all = new ArrayList<>();
        for (int attempt = 1; attempt <= 20; attempt++) {
            all.add(new Invitation("a", gathering("one", attempt, 2, 1), attempt));
            all.add(new Invitation("b", gathering("two", attempt, 2, 1), attempt));
        }
        List<Invitation> sorted = all.stream().sorted(Invitation.ORDER).toList();
        Collections.shuffle(all, new Random(1));
        assertThat(all.stream().sorted(Invitation.ORDER)).containsExactlyElementsOf(sorted);
        List<String> firsts = new ArrayList<>();
        for (int i = 0; i < sorted.size(); i += 2) {
            assertThat(sorted.get(i).gathering().attempt())
                    .isEqualTo(sorted.get(i + 1).gathering().attempt());
            firsts.add(sorted.get(i).job());
        }
        assertThat(firsts).contains("one", "two");
    }
}
