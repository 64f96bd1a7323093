package io.trainyard.worker;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.data.DatasetException;
import io.trainyard.data.bucket.BucketRoots;
import io.trainyard.data.bucket.CacheSize;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceBackend;
import io.trainyard.device.DeviceChoice;
import io.trainyard.device.Devices;
import io.trainyard.jobfile.ProjectFiles;
import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.ownership.DeferredByVersion;
import io.trainyard.ownership.OwnershipMonitor;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobLimits;
import io.trainyard.spec.JobSchemaVersion;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Brokers;
import io.trainyard.trace.Tracing;
import io.trainyard.training.AttemptLimits;
import io.trainyard.training.JobTraining;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/// The worker of this process: its device, its claim loop, its heartbeat.
@ApplicationScoped
public class WorkerService {
    private static final System.Logger LOG = System.getLogger(WorkerService.class.getName());
    private static final String DEFAULT_DATA = "data";

    /// Each has two threads and a job's memory.
    private static final int MAX_SLOTS = 64;

    private static final Duration ADMIN_TIMEOUT = Duration.ofSeconds(60);

    /// Enough to warm up all kernels twice; with many more, Java would still be compiling when the first job
    /// arrives.
    private static final int IDLE_WARM_UPS = 24;

    private final WorkerSettings settings;
    private final Outbox outbox;
    private final MeterRegistry registry;
    private final boolean served;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Activity activity = new Activity();
    private final List<Runnable> parts = new ArrayList<>(); // their close actions, in this order
    private volatile @Nullable OwnershipMonitorLoop monitor; // set when all parts are started

    /// @param served whether this process has an HTTP server, for metrics
    @Inject
    WorkerService(
            WorkerSettings settings,
            Outbox outbox,
            MeterRegistry registry,
            @ConfigProperty(name = "quarkus.http.host-enabled", defaultValue = "true") boolean served) {
        this.settings = settings;
        this.outbox = outbox;
        this.registry = registry;
        this.served = served;
    }

    /// Starts the worker, if this process is one. The topics exist.
    ///
    /// @throws io.trainyard.spec.InvalidJobException if the device's name is invalid
    /// @throws io.trainyard.device.DeviceException if the device is missing
    /// @throws DatasetException if the data root cannot be read
    /// @throws io.trainyard.checkpoint.CheckpointException if the checkpoint store cannot be written
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer
    /// @throws WorkerIdTakenException if another worker has its id
    public void start(Brokers kafka) {
        WorkerSettings.Worker worker = settings.worker();
        if (!worker.enabled()) {
            return;
        }
        String id = worker.id().orElseGet(WorkerService::randomId);
        DeviceSpec device = new DeviceSpec(worker.device());
        Device opened = Devices.open(device);
        String deviceName = opened.info().name();
        DeviceBackend backend = Devices.backend(device);
        CompletableFuture<Void> warm = Devices.beginWarmUp(device); // mostly while it waits for brokers
        DataRoots data = dataRoots(settings);
        CheckpointStore store = KillPointStore.context(CheckpointStore.open(URI.create(settings.checkpoints())));

        String prefix = settings.topics().prefix();
        Host machine = new SystemHost();
        JobTraining training = new JobTraining(data, device, worker.threads(), id)
                .with(new AttemptLimits(worker.maxAttempts(), worker.hangFactor(), limits(settings.limits())))
                .sharing(slots(worker));
        EventPublisher publisher = new EventPublisher(outbox, prefix, id);
        FleetView fleet = new FleetView(id, machine.now());
        DeferredByVersion.Rules deferring = deferring(worker);
        CommandRoutes routes = new CommandRoutes(prefix, Devices.kinds(device));
        DeviceWatch watch = new DeviceWatch(machine, opened);
        Heartbeat.Self self = new Heartbeat.Self(
                id,
                deviceName,
                store.identity(),
                fleet::since,
                version(),
                deferring.schemaVersion(),
                slots(worker),
                fleet::used,
                watch::readings,
                activity);
        ClaimGate gate = new ClaimGate(ClaimGate.Rules.of(worker.heartbeat(), worker.maxClockSkew()));
        Heartbeat beats = new Heartbeat(machine, publisher, gate, self);
        if (worker.id().isPresent()) { // a random id is unique
            new WorkerIdGuard(kafka, prefix, id).requireNone(beats::announce, worker.heartbeat());
        }
        int deliveryLimit = ShareGroups.configure(kafka, prefix, ADMIN_TIMEOUT);
        WorkerRules rules = new WorkerRules(
                id,
                routes,
                slots(worker),
                worker.grace(),
                worker.claimTimeout(),
                worker.maxRefusals(),
                worker.maxAttempts(),
                deliveryLimit,
                deferring,
                worker.maxPreemptions(),
                shares(settings),
                limits(settings.limits()));
        WorkerContext context = new WorkerContext(
                rules, machine, store, publisher, fleet, activity, Tracing.ofProcess(), new ClaimPriorities(), gate);
        OwnershipMonitorLoop keeping = new OwnershipMonitorLoop(
                context,
                () -> new KafkaFleetLog(kafka, prefix, id),
                new OwnershipMonitor.Rules(worker.lostAfterHeartbeats(), worker.maxWatched()));
        ClaimLoop claims = new ClaimLoop(
                context,
                () -> new ShareQueue(kafka, id, routes.sources(), context.order()),
                (job, attempt, supervisor) ->
                        training.attempt(job, new JobFolder(store, job.id()), attempt, supervisor));
        if (served) {
            new WorkerMetrics(activity, gate, machine, opened, rules.slots()).register(registry);
        }
        keeping.start();
        claims.start(keeping.ready());
        beats.start(worker.heartbeat());
        watch.start();
        CommandSweep sweeping = new CommandSweep(kafka, context);
        sweeping.start(worker.sweep());
        parts.addAll(List.of(claims::close, watch::close, sweeping::close, keeping::close, beats::close));
        monitor = keeping;
        var _ = keeping.broken().exceptionally(problem -> {
            ended.completeExceptionally(problem);
            return null;
        });
        var _ = claims.ended().whenComplete((_, problem) -> {
            if (problem == null) {
                ended.complete(null);
            } else {
                ended.completeExceptionally(problem);
            }
        });
        finish(warm);
        getReadyWhileIdle(training, keeping.ready(), backend, activity);
        LOG.log(
                System.Logger.Level.INFO,
                "worker={0} device={1} claims commands from {2}; data in {3}, checkpoints in {4}",
                id,
                deviceName,
                kafka.address(),
                dataPlace(settings),
                settings.checkpoints());
        if (device.isAuto()) {
            DeviceChoice choice = Devices.choice();
            LOG.log(
                    System.Logger.Level.INFO,
                    "worker={0} device={1} auto chose {2}: {3}",
                    id,
                    deviceName,
                    choice.kind(),
                    choice.reason());
        }
    }

    /// Until the first job arrives. The most likely one is a job that another worker will requeue.
    private static void getReadyWhileIdle(
            JobTraining training,
            CompletableFuture<Optional<JobSpec>> underWay,
            DeviceBackend backend,
            Activity activity) {
        var _ = inBackground("warm-up", () -> {
            underWay.exceptionally(_ -> Optional.empty()).join().ifPresent(training::getReady);
            for (int i = 0; i < IDLE_WARM_UPS && activity.jobs().isEmpty(); i++) {
                backend.warmUp();
            }
        });
    }

    private static CompletableFuture<Void> inBackground(String name, Runnable task) {
        return CompletableFuture.runAsync(
                task, begun -> Thread.ofPlatform().name(name).daemon().start(begun));
    }

    private static void finish(CompletableFuture<Void> task) {
        try {
            task.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /// Completes when the worker has stopped; exceptionally if the process should end.
    public CompletableFuture<Void> ended() {
        return ended;
    }

    /// Health state for container probes. Kafka is deliberately excluded: a replacement worker would have to
    /// wait for it, too.
    Condition condition() {
        if (!settings.worker().enabled()) {
            return Condition.WELL;
        }
        OwnershipMonitorLoop keeping = monitor;
        boolean started = keeping != null && keeping.ready().isDone();
        return new Condition(started, !ended.isDone(), activity.trouble());
    }

    /// The worker's condition.
    ///
    /// @param trouble why it claims no jobs at present; null if it does
    record Condition(
            boolean started, boolean alive, @Nullable String trouble) {
        static final Condition WELL = new Condition(true, true, null);
    }

    private static JobLimits limits(WorkerSettings.Limits asked) {
        return new JobLimits(
                asked.parameters(), asked.batchSize(), asked.epochs(), asked.steps(), asked.minutes(), asked.trials());
    }

    private static int slots(WorkerSettings.Worker worker) {
        int slots = worker.slots();
        if (slots < 1 || slots > MAX_SLOTS) {
            throw new InvalidJobException(
                    "trainyard.worker.slots is %d; allowed is 1 to %d".formatted(slots, MAX_SLOTS));
        }
        return slots;
    }

    private static DeferredByVersion.Rules deferring(WorkerSettings.Worker worker) {
        long beats = worker.newerTimeout().dividedBy(worker.heartbeat());
        return new DeferredByVersion.Rules(
                JobSchemaVersion.OURS.newest(), Math.toIntExact(Math.clamp(beats, 1, Integer.MAX_VALUE)));
    }

    private static ProjectShares.Rules shares(WorkerSettings settings) {
        ProjectRules projects = ProjectFiles.read(settings.projects());
        double beats = (double) projects.window().toMillis()
                / Math.max(1, settings.worker().heartbeat().toMillis());
        return new ProjectShares.Rules(projects, Math.max(1, beats));
    }

    private static String version() {
        return ConfigProvider.getConfig().getValue("quarkus.application.version", String.class);
    }

    private static String randomId() {
        String suffix = "-%04x".formatted(ThreadLocalRandom.current().nextInt(1 << Short.SIZE));
        try {
            return InetAddress.getLocalHost().getHostName() + suffix;
        } catch (UnknownHostException _) { // a machine may not know its own name
            return "worker" + suffix;
        }
    }

    private static String dataPlace(WorkerSettings settings) {
        String place = settings.data().orElse(DEFAULT_DATA);
        return BucketRoots.isBucket(place)
                ? place
                : Path.of(place).toAbsolutePath().toString();
    }

    /// A configured folder must exist; the default may be missing because some datasets are built in.
    private static DataRoots dataRoots(WorkerSettings settings) {
        String place = settings.data().orElse(DEFAULT_DATA);
        if (BucketRoots.isBucket(place)) {
            return BucketRoots.open(place, settings.dataCache(), CacheSize.ofEnvironment());
        }
        Path data = Path.of(place);
        boolean mayBeMissing = settings.data().isEmpty() && !Files.exists(data);
        if (!mayBeMissing && !(Files.isDirectory(data) && Files.isReadable(data))) {
            throw new DatasetException("the data root %s is %s; set --data to a readable folder"
                    .formatted(data.toAbsolutePath(), !Files.exists(data) ? "missing" : "not a readable folder"));
        }
        return DataRoots.ofFolder(data);
    }

    /// Stops while the channels still work: they are closed after this event.
    void stop(@Observes ShutdownEvent event) {
        parts.forEach(Runnable::run);
    }
}
