package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.event.WorkerStatusBuilder;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Store checks of the worker `me` among other workers.
class StoreWatchTest {
    private static final Instant NOW = Instant.parse("2026-11-22T03:04:05.678Z");
    private static final String OTHER = "another store";
    private static final Set<String> ALL = Set.of("me", "elder", "stranger");

    @TempDir
    private Path folder;

    private String mine;
    private StoreWatch watch;

    @BeforeEach
    void begin() {
        CheckpointStore store = CheckpointStore.open(folder.toUri());
        mine = store.identity();
        watch = new StoreWatch("me", store);
    }

    private void receive(String worker, String store, @Nullable Instant since) {
        watch.received(
                WorkerStatusBuilder.of(worker, "cpu").store(store).since(since).build());
    }

    @Test
    void aLaterWorkerWithAnotherStoreClaimsNothing() {
        receive("me", mine, NOW);
        receive("elder", OTHER, NOW.minusSeconds(1));
        assertThat(watch.objection(ALL).orElseThrow()).contains("worker elder (another store)");
        assertThat(watch.objection(Set.of("me"))).as("once it has left").isEmpty();
    }

    @Test
    void anEarlierWorkerContinues() {
        receive("me", mine, NOW);
        receive("stranger", OTHER, NOW.plusSeconds(1));
        assertThat(watch.objection(ALL)).isEmpty();
    }

    /// Its time in the fleet does not matter.
    @Test
    void aWorkerWithAnotherStoreDoesNotBlockOthers() {
        receive("elder", mine, NOW.minusSeconds(100));
        receive("stranger", OTHER, null);
        receive("me", mine, NOW);
        assertThat(watch.objection(ALL)).isEmpty();
    }

    @Test
    void aWorkerWithAnotherStoreWaitsUntilTheFleetHasLeft() {
        receive("me", mine, null);
        receive("elder", OTHER, NOW);
        assertThat(watch.objection(ALL)).isPresent();
        watch.received(WorkerStatusBuilder.of("elder", "cpu")
                .stopping(true)
                .store(OTHER)
                .since(NOW)
                .build());
        assertThat(watch.objection(ALL)).isEmpty();
    }

    @Test
    void aRejectedWorkerDoesNotBlockOthers() {
        FleetView view = new FleetView("me", NOW);
        assertThat(view.since()).isEqualTo(NOW);
        view.objection(Optional.of("another store"), NOW.plusSeconds(1));
        assertThat(view.since()).isNull();
        view.objection(Optional.empty(), NOW.plusSeconds(5));
        view.objection(Optional.empty(), NOW.plusSeconds(9));
        assertThat(view.since()).isEqualTo(NOW.plusSeconds(5));
    }
}
