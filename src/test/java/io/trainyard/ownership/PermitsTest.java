package io.trainyard.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.ownership.Permits.Attempt;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A project never has more permits than its quota, even with concurrent requests.
class PermitsTest {
    @TempDir
    private Path folder;

    private CheckpointStore store;
    private final Set<String> over = ConcurrentHashMap.newKeySet();
    private final Predicate<Attempt> isOver = attempt -> over.contains(attempt.job());

    @BeforeEach
    void open() {
        store = CheckpointStore.open(folder.toUri());
    }

    private boolean take(String job, int number, int most) {
        return new Permits(store).take("vision", most, new Attempt(job, number, "w"), isOver);
    }

    @Test
    void aPermitIsFreeOnceItsAttemptIsOver() {
        assertThat(take("a", 1, 2)).isTrue();
        assertThat(take("b", 1, 2)).isTrue();
        assertThat(take("c", 1, 2)).isFalse();
        over.add("a");
        assertThat(take("c", 1, 2)).isTrue();
        assertThat(take("d", 1, 2)).isFalse();
        assertThat(store.list("projects~/vision")).containsExactly("projects~/vision/0-2", "projects~/vision/1-1");
    }

    @Test
    void theNextAttemptOfAJobTakesOverItsPermit() {
        assertThat(take("a", 1, 1)).isTrue();
        assertThat(take("a", 1, 1)).as("it has it already").isTrue();
        assertThat(take("b", 1, 1)).isFalse();
        assertThat(take("a", 2, 1)).isTrue();
        assertThat(take("a", 1, 1)).as("an earlier attempt").isFalse();
    }

    @Test
    void permitsAreSeparatePerProject() {
        assertThat(take("a", 1, 1)).isTrue();
        assertThat(new Permits(store).take("speech", 1, new Attempt("b", 1, "w"), isOver))
                .isTrue();
        assertThat(take("c", 1, 0)).isFalse();
    }

    /// It saw the first file as the newest, and creates the second one long after others were done with it.
    @Test
    void aFrozenWorkerCreatesNoOldPermitAgain() {
        assertThat(take("a", 1, 1)).isTrue();
        over.add("a");
        Permits late = new Permits(store);
        List<String> others = new ArrayList<>(List.of("b", "c"));
        boolean hasPermit = late.take("vision", 1, new Attempt("late", 1, "w"), holder -> {
            while (!others.isEmpty()) { // during its check
                String other = others.removeFirst();
                assertThat(take(other, 1, 1)).isTrue();
                if (!others.isEmpty()) {
                    over.add(other);
                }
            }
            return true;
        });
        assertThat(hasPermit).isFalse();
        assertThat(store.list("projects~/vision")).containsExactly("projects~/vision/0-3");
    }

    @Test
    void concurrentRequestsNeverExceedTheQuota() throws Exception {
        int workers = 8;
        for (int round = 0; round < 10; round++) {
            CountDownLatch begin = new CountDownLatch(1);
            List<CompletableFuture<Boolean>> all = new ArrayList<>();
            try (var threads = Executors.newFixedThreadPool(workers)) {
                for (int i = 0; i < workers; i++) {
                    String job = "job-%d-%d".formatted(round, i);
                    all.add(CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    begin.await();
                                } catch (InterruptedException e) {
                                    throw new IllegalStateException(e);
                                }
                                return take(job, 1, 3);
                            },
                            threads));
                }
                begin.countDown();
                assertThat(all.stream().filter(CompletableFuture::join).count()).isEqualTo(3);
            }
            for (int i = 0; i < workers; i++) {
                over.add("job-%d-%d".formatted(round, i));
            }
        }
    }
}
