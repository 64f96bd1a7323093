package io.trainyard.cli;

import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.InvalidJobException;
import java.net.URI;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// Where training reads, writes and computes: the options of every command that trains.
public final class TrainingOptions {
    private static final int MAX_THREADS = 1024;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "data",
            description = "Where data sets are looked for (default: ${DEFAULT-VALUE}). The sets shapes* need no files.")
    private Path data = Path.of("data");

    @Option(
            names = "--checkpoints",
            paramLabel = "URI",
            defaultValue = "checkpoints",
            description = "Where checkpoints are kept: a folder, or file:///folder (default: ${DEFAULT-VALUE}).")
    private URI checkpoints = URI.create("checkpoints");

    private DeviceSpec device = DeviceSpec.AUTO;
    private int threads;

    @Option(
            names = "--device",
            paramLabel = "D",
            defaultValue = "auto",
            description = "For jobs that leave the choice open: auto, cpu or reference (default: ${DEFAULT-VALUE}).")
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
            defaultValue = "0",
            description = "CPU threads; part of what makes a run repeatable. 0 chooses for each network (default).")
    void setThreads(int number) {
        if (number < 0 || number > MAX_THREADS) {
            throw new ParameterException(
                    command.commandLine(), "--threads is %d; allowed is 0 to %d".formatted(number, MAX_THREADS));
        }
        threads = number;
    }

    /// The data root.
    Path data() {
        return data;
    }

    URI checkpoints() {
        return checkpoints;
    }

    DeviceSpec device() {
        return device;
    }

    /// 0 lets the device choose for each network.
    int threads() {
        return threads;
    }
}
