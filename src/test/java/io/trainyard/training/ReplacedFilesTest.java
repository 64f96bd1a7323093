package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.data.DataRoots;
import io.trainyard.data.Npy;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A worker caches a dataset between jobs, and reads it again after its files change.
class ReplacedFilesTest extends SmallJobs {
    private JobTraining training;
    private Path rows;

    @BeforeEach
    void makeSet() throws IOException {
        rows = Files.createDirectory(root.resolve("rows"));
        Npy.write(rows, Npy.rows());
        Files.writeString(rows.resolve("dataset.json"), "{\"kind\": \"arrays\"}");
        training = new JobTraining(DataRoots.ofFolder(root), new DeviceSpec("reference"), 0, "test");
    }

    /// A file is replaced as by `mv` and `cp`, with one of the same size.
    @Test
    void filesOfTheSameSizeAreNoticed() throws IOException {
        float[] before = losses("before");
        assertThat(losses("same")).isEqualTo(before);
        Path file = rows.resolve("x_train.npy");
        FileTime time = Files.getLastModifiedTime(file);
        Path beside = Files.write(root.resolve("other"), Npy.npy("<f4", "(3, 2)", Npy.floats(6, 5, 4, 3, 2, 1)));
        Files.setLastModifiedTime(beside, FileTime.fromMillis(time.toMillis() + 1));
        Files.move(beside, file, StandardCopyOption.REPLACE_EXISTING);
        assertThat(losses("after")).isNotEqualTo(before);
    }

    private float[] losses(String id) {
        JobSpec job = job(
                id,
                "\"epochs\": 1, \"batchSize\": 1, \"dataset\": \"rows\", \"network\": {\"layers\": [{\"type\": \"linear\", \"out\": 3}]}");
        events.clear();
        assertThat(run(training, job, () -> false)).isInstanceOf(Outcome.Finished.class);
        return losses();
    }
}
