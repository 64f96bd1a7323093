package io.trainyard.training;

import io.trainyard.data.Dataset;
import io.trainyard.data.Datasets;
import io.trainyard.data.PixelScale;
import io.trainyard.device.DeviceException;
import io.trainyard.device.Workload;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Makes of a job what a device compiles. Keeps the data set, because jobs in a row often use the same one. Who asks
/// for
/// one while another reads waits: there may be room for a single one. Thread-safe.
final class Workloads {
    private static final System.Logger LOG = System.getLogger(Workloads.class.getName());

    private final Path dataRoot;
    private final JobDevices devices;
    private final int threads;
    private @Nullable Dataset last;

    /// @param dataRoot the folder data sets are read from
    /// @param devices are got ready beside the reading of the data
    /// @param threads CPU threads; 0 lets the device choose
    Workloads(Path dataRoot, JobDevices devices, int threads) {
        this.dataRoot = dataRoot;
        this.devices = devices;
        this.threads = threads;
    }

    /// @throws io.trainyard.spec.InvalidJobException if nobody can run the job as it is written
    /// @throws io.trainyard.data.DatasetException if its data set cannot be read here
    Workload of(JobSpec job) {
        Network network = check(job);
        Dataset dataset = dataset(job, network);
        PixelScale scale = PixelScale.of(dataset.shape().size(0), job.dataset().normalize());
        AugmentSpec augment = Objects.requireNonNullElse(job.dataset().augment(), AugmentSpec.NONE);
        return new Workload(
                        network, job.optimizer(), job.batchSize(), dataset, scale, augment, job.precision(), threads)
                .withLoss(job.loss())
                .withLoop(job.loop());
    }

    /// What can be known without reading a file.
    ///
    /// @throws io.trainyard.spec.InvalidJobException if nobody can run the job as it is written
    static Network check(JobSpec job) {
        Datasets.requireKnown(job.dataset().name());
        var described = Datasets.describe(job.dataset().name());
        PixelScale.of(described.shape().size(0), job.dataset().normalize());
        job.loss().requireFit(described.classes());
        return Network.fit(job.network(), described.shape(), described.classes());
    }

    private synchronized Dataset dataset(JobSpec job, Network network) {
        Dataset dataset = last;
        if (dataset == null || !dataset.name().equals(job.dataset().name())) {
            last = null; // room for the next one
            beginWarmUp(job, network);
            dataset = Datasets.open(dataRoot, job.dataset().name());
            last = dataset;
        }
        return dataset;
    }

    /// Beside the reading of the data; opening the session waits for what is left of it.
    private void beginWarmUp(JobSpec job, Network network) {
        Thread.ofPlatform().name("warm-up").daemon().start(() -> {
            try {
                devices.warmUp(job, network);
            } catch (DeviceException e) { // told when the attempt opens the device
                LOG.log(System.Logger.Level.DEBUG, "job=%s no warm-up".formatted(job.id()), e);
            }
        });
    }
}
