package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.data.OwnIdx;
import io.trainyard.data.bucket.TestBuckets;
import io.trainyard.event.TrainingEvent;
import io.trainyard.s3.S3FaultProxy;
import io.trainyard.s3.S3FaultProxy.Fate;
import io.trainyard.s3.S3Server;
import io.trainyard.s3.S3ServerAccess;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A job with a dataset in a bucket.
@Slow
class BucketDatasetTest {
    private static final S3Server SERVER = S3Server.S3PROXY;

    @TempDir
    private Path folder;

    private final List<Long> fetched = new ArrayList<>();
    private URI place;
    private S3FaultProxy proxy;
    private Path marks;
    private JobTraining training;

    @BeforeEach
    void putMarks() throws IOException {
        place = SERVER.newBucket();
        proxy = new S3FaultProxy(SERVER);
        marks = Files.createDirectories(folder.resolve("data/marks"));
        OwnIdx.write(marks, 6, 3);
        describe(3);
        training = onDataOf(
                TestBuckets.open(place, folder.resolve("cache"), S3Server.settings(proxy.endpoint(), Patience.LIMIT)));
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    private static JobTraining onDataOf(DataRoots roots) {
        return new JobTraining(roots, new DeviceSpec("reference"), 1, "tester");
    }

    private void describe(int classes) throws IOException {
        Files.writeString(marks.resolve("dataset.json"), "{\"kind\": \"idx\", \"classes\": %d}".formatted(classes));
        try (Stream<Path> files = Files.list(marks)) {
            for (Path file : files.toList()) {
                S3ServerAccess.put(SERVER, place, "marks/" + file.getFileName(), Files.readAllBytes(file));
            }
        }
    }

    private Outcome run(JobTraining by, String id, String dataset, int outputs) {
        JobSpec job = JobJson.read("""
                {"id": "%s", "dataset": "%s", "epochs": 1, "batchSize": 3, "network": {"layers": [
                 {"type": "flatten"}, {"type": "linear", "out": %d}]}}""".formatted(id, dataset, outputs).getBytes(StandardCharsets.UTF_8));
        Supervisor supervisor = new Supervisor() {
            @Override
            public void publish(TrainingEvent event, Instant time) {}

            @Override
            public Optional<Halt> halt() {
                return Optional.empty();
            }

            @Override
            public void fetched(String set, long bytes, long totalBytes) {
                assertThat(set).isEqualTo(dataset);
                assertThat(bytes).isLessThanOrEqualTo(totalBytes);
                fetched.add(bytes);
            }
        };
        return by.run(
                job,
                new JobFolder(CheckpointStore.open(folder.resolve("checkpoints").toUri()), id),
                supervisor);
    }

    private static String sha256(Outcome outcome) {
        return ((Outcome.Finished) outcome).event().parametersSha256();
    }

    @Test
    void trainsLikeADatasetInAFolder() {
        String inFolder = sha256(run(onDataOf(DataRoots.ofFolder(folder.resolve("data"))), "a", "marks", 3));
        assertThat(fetched).isEmpty();
        assertThat(sha256(run(training, "b", "marks", 3))).isEqualTo(inFolder);
        assertThat(fetched).as("the whole of it, at last").isNotEmpty();
        fetched.clear();
        assertThat(sha256(run(training, "c", "marks", 3))).isEqualTo(inFolder);
        assertThat(fetched).as("it is here").isEmpty();
    }

    @Test
    void readsAChangedDatasetAgain() throws IOException {
        assertThat(run(training, "a", "marks", 3)).isInstanceOf(Outcome.Finished.class);
        describe(4);
        assertThat(run(training, "b", "marks", 4)).isInstanceOf(Outcome.Finished.class);
    }

    /// A job fails if its dataset is missing for all workers, but not if they cannot reach it.
    @Test
    void anUnavailableDatasetIsNotMissing() {
        assertThat(run(training, "a", "markz", 3))
                .isInstanceOfSatisfying(
                        Outcome.WorkerFault.class,
                        fault -> assertThat(fault.lacking()).isTrue());
        proxy.rule(_ -> new Fate.Refused(403, "AccessDenied"));
        assertThat(run(training, "b", "marks", 3)).isInstanceOfSatisfying(Outcome.WorkerFault.class, fault -> {
            assertThat(fault.lacking()).isFalse();
            assertThat(fault.event().reason()).contains("dataset marks cannot be looked for in " + place);
        });
        proxy.rule(_ -> Fate.ARRIVES);
        assertThat(run(training, "b", "marks", 3)).isInstanceOf(Outcome.Finished.class);
    }
}
