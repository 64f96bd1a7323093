package io.trainyard.training;

import io.trainyard.data.DataRoot;
import io.trainyard.data.DataRoots;
import io.trainyard.data.Dataset;
import io.trainyard.data.DatasetInfo;
import io.trainyard.data.Datasets;
import io.trainyard.data.FetchProgress;
import io.trainyard.data.FileFingerprint;
import io.trainyard.data.PixelScale;
import io.trainyard.device.DeviceException;
import io.trainyard.device.Workload;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.TargetScale;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Builds what a device compiles from a job. It keeps the last dataset, because consecutive jobs often share
/// it, and knows those that jobs still use. A request waits while another one reads, because there may be
/// memory for one only. Thread-safe.
final class Workloads {
    private static final System.Logger LOG = System.getLogger(Workloads.class.getName());

    /// The interval at which a waiting request is logged.
    private static final long LOG_INTERVAL_SECONDS = 60;

    private final DataRoots roots;
    private final JobDevices devices;
    private final int threads;
    private final int sharers;
    private final ReentrantLock reading = new ReentrantLock();
    private final List<CachedDataset> known = new ArrayList<>(); // guarded by it, like the next field
    private @Nullable Dataset last;

    /// A job's workload for a device.
    ///
    /// @param dataset its description
    /// @param samples all parts; the workload tests with the validation part, if there is one and the job trains
    /// @param targets the scale of the workload's targets; null: they are as in `samples`
    record Prepared(
            Workload workload,
            DatasetInfo dataset,
            Dataset samples,
            @Nullable TargetScale targets) {
        /// Whether the job selects its best epoch by a validation part.
        boolean validates() {
            return samples.validation() != null && workload.dataset().validation() == null;
        }
    }

    /// A dataset that may still be in use, and how it was read.
    ///
    /// @param stamps of its files before they were read
    private record CachedDataset(
            DataRoot root, DatasetSpec spec, DatasetInfo info, FileFingerprint stamps, WeakReference<Dataset> dataset) {
        boolean isOf(DataRoot otherRoot, DatasetSpec otherSpec, DatasetInfo otherInfo) {
            return root.equals(otherRoot)
                    && spec.equals(otherSpec)
                    && info.equals(otherInfo)
                    && !root.hasOthersNow(spec.name(), stamps);
        }
    }

    /// @param roots where datasets are read
    /// @param devices are prepared while the data is read
    /// @param threads CPU threads; 0 lets the device choose
    Workloads(DataRoots roots, JobDevices devices, int threads) {
        this(roots, devices, threads, 1);
    }

    private Workloads(DataRoots roots, JobDevices devices, int threads, int sharers) {
        this.roots = roots;
        this.devices = devices;
        this.threads = threads;
        this.sharers = sharers;
    }

    /// For this number of jobs at once.
    Workloads sharing(int jobs) {
        return new Workloads(roots, devices, threads, jobs);
    }

    /// @param progress of a download that comes first
    /// @param waits is called at intervals while others read
    /// @throws io.trainyard.spec.InvalidJobException if the job is invalid
    /// @throws io.trainyard.data.DatasetException if its dataset cannot be read here
    Prepared of(JobSpec job, FetchProgress progress, Runnable waits) {
        check(job);
        try {
            while (!reading.tryLock(LOG_INTERVAL_SECONDS, TimeUnit.SECONDS)) {
                waits.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while other jobs read their datasets", e);
        }
        try {
            return prepare(job, progress);
        } finally {
            reading.unlock();
        }
    }

    private Prepared prepare(JobSpec job, FetchProgress progress) {
        DataRoot root = roots.of(job.dataset().name(), progress);
        DatasetInfo info = root.describe(job.dataset());
        Network network = fit(job, info);
        PixelScale scale = scale(job.dataset(), info);
        Dataset samples = dataset(root, job, info, network);
        TargetScale targets = job.dataset().standardizeTargets() == null ? null : samples.targetScale();
        Dataset dataset = samples.standardized(targets);
        AugmentSpec augment = Objects.requireNonNullElse(job.dataset().augment(), AugmentSpec.NONE);
        Workload workload = new Workload(
                network,
                job.loss(),
                job.optimizer(),
                job.loop(),
                job.batchSize(),
                job.kind() == JobKind.TRAIN ? dataset.forSelection() : dataset,
                scale,
                augment,
                job.precision(),
                threads,
                true);
        return new Prepared(workload.withSharers(sharers), info, samples, targets);
    }

    /// Whether a job's dataset is known to be on this machine.
    boolean isNear(JobSpec job) {
        return roots.isNear(job.dataset().name());
    }

    /// Checks without the data root whether the job fits a built-in dataset.
    ///
    /// @throws io.trainyard.spec.InvalidJobException if the job is invalid
    static void check(JobSpec job) {
        Datasets.find(job.dataset().name()).ifPresent(info -> {
            job.dataset().refuseFolderFields();
            var unusedScale = scale(job.dataset(), info);
            var unusedNetwork = fit(job, info);
        });
    }

    private static Network fit(JobSpec job, DatasetInfo info) {
        info.requireFit(job.loss());
        return Network.of(job, info.shape(), info.outputs());
    }

    /// A job's own means take precedence over the dataset's.
    static PixelScale scale(DatasetSpec spec, DatasetInfo info) {
        return PixelScale.of(info.shape(), spec.normalize() == null ? info.normalize() : spec.normalize());
    }

    private Dataset dataset(DataRoot root, JobSpec job, DatasetInfo info, Network network) {
        DatasetSpec spec = job.dataset().asRead();
        known.removeIf(kept -> kept.dataset().get() == null);
        for (CachedDataset kept : known) {
            Dataset dataset = kept.dataset().get();
            if (dataset != null && kept.isOf(root, spec, info)) {
                last = dataset;
                return dataset;
            }
        }
        last = null; // free memory for the next one
        beginWarmUp(job, network);
        FileFingerprint stamps = root.stamps(spec.name());
        Dataset dataset = root.open(spec);
        known.add(new CachedDataset(root, spec, info, stamps, new WeakReference<>(dataset)));
        last = dataset;
        return dataset;
    }

    /// Runs while the data is read; opening the session waits for it.
    private void beginWarmUp(JobSpec job, Network network) {
        Thread.ofPlatform().name("warm-up").daemon().start(() -> {
            try {
                devices.warmUp(job, network);
            } catch (DeviceException e) { // reported when the attempt opens the device
                LOG.log(System.Logger.Level.DEBUG, "job=%s no warm-up".formatted(job.id()), e);
            }
        });
    }
}
