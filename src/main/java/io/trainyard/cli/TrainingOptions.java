package io.trainyard.cli;

import io.trainyard.device.DeviceChoice;
import io.trainyard.device.Devices;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Printable;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options for data, checkpoints and device of every command that trains.
public final class TrainingOptions extends PlaceOptions {
    static final int MAX_THREADS = 1024;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

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

    /// The given options as settings of the worker. Other settings keep their values from the environment.
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        given().forEach((option, value) -> settings.put("trainyard." + option.substring(2), value));
        if (device != null) {
            settings.put("trainyard.worker.device", device.name());
        }
        if (threads != null) {
            settings.put("trainyard.worker.threads", threads.toString());
        }
        return settings;
    }
}
