package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.PackagedFleet;
import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.GroupFolder;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Expanded;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.topics.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Workers are killed where only a sweep takes them: its trials are there once each, and the same one wins as where
/// all were trained to their end and nobody died.
@DisabledOnOs(OS.WINDOWS)
final class SweepFaultsIT {
    /// How good they are follows from the rates, by far.
    private static final List<String> TRIALS =
            List.of("rates.1-lr0.001", "rates.2-lr0.000001", "rates.3-lr0.00001", "rates.4-lr0.02");

    private static final String WINNER = TRIALS.getLast();
    private static final String SECOND = TRIALS.getFirst();

    private static final String SWEEP = """
            {"id": "rates", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}, "dataset": "shapes28",
             "epochs": 2, "batchSize": 16, "shuffle": true, "optimizer": {"type": "sgd", "learningRate": 0.1},
             "asha": {"minEpochs": 1, "reductionFactor": 2},
             "sweep": {"optimizer.learningRate": [0.001, 0.000001, 0.00001, 0.02]}}""";

    /// Keepers act after two seconds of silence, and not after sixteen.
    private static final List<String> SOON = List.of("TRAINYARD_WORKER_HEARTBEAT=250ms");

    @TempDir
    private Path folder;

    @Test
    void eachTrialIsThereOnceAndTheSameOneWins() throws Exception {
        Path job = Files.writeString(folder.resolve("sweep.json"), SWEEP);
        try (TrainyardProcess undisturbed = TrainyardProcess.start(
                        folder, "train", job.toString(), "--json", "--device", "reference", "--checkpoints", "alone");
                PackagedFleet fleet = PackagedFleet.withBroker(folder);
                News news = new News(fleet.news(), Topic.DEFAULT_PREFIX)) {
            Victim published = startVictim(fleet, "trials-published");
            assertThat(fleet.submit(SWEEP).exitStatus()).isZero();
            awaitStruck(published, fleet);
            Victim kept = startVictim(fleet, "result-kept");
            awaitStruck(kept, fleet);
            fleet.startWorker("whole", SOON, "--device", "reference");
            Patience.await("the end of the sweep: " + fleet).until(() -> isDecided(news));

            assertThat(undisturbed.exitStatus()).as(undisturbed.toString()).isZero();
            Map<String, Finished> alone = undisturbed.lines().stream()
                    .map(PackagedFleet::event)
                    .filter(Finished.class::isInstance)
                    .map(Finished.class::cast)
                    .collect(Collectors.toMap(Finished::job, finished -> finished));
            assertThat(alone).containsOnlyKeys(TRIALS);
            assertThat(best(fleet)).isEqualTo(WINNER);
            assertThat(TRIALS.stream().flatMap(trial -> news.finished(trial).stream()))
                    .extracting(Finished::job)
                    .contains(WINNER, SECOND);
            TRIALS.stream()
                    .flatMap(trial -> news.finished(trial).stream())
                    .forEach(finished -> assertThat(finished.parametersSha256())
                            .as("%s: %s", finished.job(), fleet)
                            .isEqualTo(Objects.requireNonNull(alone.get(finished.job()))
                                    .parametersSha256()));
            assertThat(fleet.start("cancel", "--sweep", "rates").exitStatus()).isZero();
            assertOnce(news, fleet);
        }
    }

    private static Victim startVictim(PackagedFleet fleet, String plan) {
        String id = "victim-" + plan;
        fleet.startWorker(
                id,
                Stream.concat(SOON.stream(), Stream.of("JAVA_TOOL_OPTIONS=-Dkillpoint=" + plan))
                        .toList(),
                "--device",
                "reference");
        return new Victim(id, plan, fleet.worker(id));
    }

    private static void awaitStruck(Victim victim, PackagedFleet fleet) {
        Patience.await(victim + " to be struck: " + fleet).until(victim::look);
    }

    /// Those that are among the best have gone on to their end, the others rest.
    private static boolean isDecided(News news) {
        return news.finished(WINNER).isPresent()
                && news.finished(SECOND).isPresent()
                && TRIALS.stream().allMatch(trial -> news.finished(trial).isPresent() || rests(trial, news));
    }

    private static boolean rests(String trial, News news) {
        return news.of(trial).stream()
                .map(News.Heard::event)
                .filter(event -> event instanceof Claimed || event instanceof Paused || event instanceof Resumed)
                .reduce((_, later) -> later)
                .filter(Paused.class::isInstance)
                .isPresent();
    }

    private static String best(PackagedFleet fleet) throws Exception {
        TrainyardProcess sweep = fleet.start("sweep", "rates", "--json");
        assertThat(sweep.exitStatus()).as(sweep.toString()).isZero();
        JsonNode view = JsonMapper.builder().build().readTree(sweep.output());
        assertThat(view.get("trials")).hasSize(TRIALS.size());
        return view.at("/trials/0/job").asText();
    }

    /// Nobody has heard of any other job. Each trial has one result at the rung, which all attempts that reached it
    /// found, and one end.
    private void assertOnce(News news, PackagedFleet fleet) {
        assertThat(news.jobs())
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(Stream.of("rates"), TRIALS.stream()).toList());
        assertThat(news.of("rates", Expanded.class)).allMatch(end -> end.trials() == TRIALS.size());
        CheckpointStore store =
                CheckpointStore.openToRead(folder.resolve("checkpoints").toUri());
        assertThat(new GroupFolder(store, "rates").results(1)).containsOnlyKeys(TRIALS);
        assertThat(store.list("rates/rungs/1").stream()
                        .map(key -> key.substring(key.lastIndexOf('/') + 1).split("~"))
                        .filter(name -> name.length == 3) // an attempt that is on its way to the rung has no result yet
                        .map(name -> name[0] + " " + name[2])
                        .distinct())
                .as("results of trials")
                .hasSameSizeAs(TRIALS);
        fleet.checkAll(1 + TRIALS.size());
    }
}
