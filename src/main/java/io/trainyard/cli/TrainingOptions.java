package io.trainyard.cli;

import io.trainyard.data.DataRoots;
import io.trainyard.data.bucket.BucketRoots;
import io.trainyard.data.bucket.CacheSize;
import io.trainyard.device.DeviceChoice;
import io.trainyard.device.Devices;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Printable;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options for data, checkpoints and device of every command that trains.
public final class TrainingOptions {
    static final int MAX_THREADS = 1024;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--data",
            paramLabel = "URI",
            description = "Datasets: a folder or s3://bucket/prefix (default: data); shapes* need no files.")
    private @Nullable String data;

    @Option(
            names = "--data-cache",
            paramLabel = "DIR",
            description = "Cache of a bucket's datasets (default: data-cache).")
    private @Nullable Path dataCache;

    @Option(
            names = "--checkpoints",
            paramLabel = "URI",
            description = "Checkpoint store: a folder, file: or s3: URI, shared by the fleet (default: checkpoints).")
    private @Nullable URI checkpoints;

    private @Nullable DeviceSpec device;
    private @Nullable Integer threads;

    @Option(
            names = "--device",
            paramLabel = "D",
            description = "Device of jobs that request none: auto, cpu, cuda, cuda:N or reference (default: auto).")
    void setDevice(String name) {
        try {
            device = new DeviceSpec(name);
        } catch (InvalidJobException e) {
            throw new ParameterException(command.commandLine(), "--" + e.getMessage());
        }
    }

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "CPU threads, which affect the bits of results; 0 (default): chosen for each network.")
    void setThreads(int number) {
        if (number < 0 || number > MAX_THREADS) {
            throw new ParameterException(
                    command.commandLine(), "--threads is %d; allowed is 0 to %d".formatted(number, MAX_THREADS));
        }
        threads = number;
    }

    /// The data roots.
    ///
    /// @throws io.trainyard.data.DatasetException if they are in a bucket that cannot be read
    DataRoots data() {
        String place = data == null ? "data" : data;
        return BucketRoots.isBucket(place)
                ? BucketRoots.open(
                        place, dataCache == null ? Path.of("data-cache") : dataCache, CacheSize.ofEnvironment())
                : DataRoots.ofFolder(Path.of(place));
    }

    URI checkpoints() {
        return checkpoints == null ? URI.create("checkpoints") : checkpoints;
    }

    /// The default folder of the files that `train` writes and `dashboard --local` reads: that of the
    /// checkpoints. A file in a bucket cannot be followed.
    static Path runs(URI checkpoints) {
        String scheme = checkpoints.getScheme();
        return scheme == null
                ? Path.of(checkpoints.getPath())
                : scheme.equals("file") ? Path.of(checkpoints) : Path.of("runs");
    }

    DeviceSpec device() {
        return device == null ? DeviceSpec.AUTO : device;
    }

    /// The device that `auto` chooses and the reason, in a sentence; empty if no job uses `auto`.
    ///
    /// @throws io.trainyard.device.DeviceException if no device is available
    Optional<String> choice(List<JobSpec> jobs) {
        if (!device().isAuto() || jobs.stream().noneMatch(job -> job.device().isAuto())) {
            return Optional.empty();
        }
        DeviceChoice choice = Devices.choice();
        return Optional.of("auto chose %s: %s".formatted(choice.kind(), Printable.text(choice.reason(), 1000)));
    }

    /// 0 lets the device choose for each network.
    int threads() {
        return threads == null ? 0 : threads;
    }

    /// The given options for data and checkpoints, for a command line that a user can copy.
    String places() {
        Map<String, String> given = new LinkedHashMap<>();
        put(given, "--data", data);
        put(given, "--data-cache", dataCache);
        put(given, "--checkpoints", checkpoints);
        return given.entrySet().stream()
                .map(option -> " %s %s".formatted(option.getKey(), quoted(option.getValue())))
                .collect(Collectors.joining());
    }

    private static String quoted(String text) {
        return text.matches("[\\w./:~=-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /// The given options as settings of the worker. Other settings keep their values from the environment.
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        put(settings, "trainyard.data", data);
        put(settings, "trainyard.data-cache", dataCache);
        put(settings, "trainyard.checkpoints", checkpoints);
        put(settings, "trainyard.worker.device", device == null ? null : device.name());
        put(settings, "trainyard.worker.threads", threads);
        return settings;
    }

    private static void put(Map<String, String> settings, String key, @Nullable Object value) {
        if (value != null) {
            settings.put(key, value.toString());
        }
    }
}
