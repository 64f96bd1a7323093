package io.trainyard.cli;

import io.trainyard.cli.terminal.Terminal;
import io.trainyard.device.DeviceBackend;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.Devices;
import io.trainyard.spec.Printable;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// `devices`: what a job's `device` can be here.
@Command(
        name = "devices",
        description = "Lists the devices of this machine, and for each missing one the reason.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = ExitCodes.HEADING,
        exitCodeList = {ExitCodes.OK_HELP, ExitCodes.UNEXPECTED_HELP})
public final class DevicesCommand implements Callable<Integer>, PlainCommand {
    private final Terminal terminal;

    public DevicesCommand() {
        this(Terminal.system());
    }

    DevicesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        List<DeviceBackend> backends = Devices.backends();
        String best = backends.stream()
                .filter(backend ->
                        backend.rank() > 0 && backend.whyUnavailable().isEmpty())
                .map(DeviceBackend::kind)
                .findFirst()
                .orElse("");
        for (DeviceBackend backend : backends) {
            backend.whyUnavailable().ifPresent(reason -> line(backend.kind(), "not available: " + reason));
            List<DeviceInfo> devices = backend.devices();
            for (DeviceInfo device : devices) {
                boolean first = device.equals(devices.getFirst());
                String chosen = first && backend.kind().equals(best) ? "; the choice of auto" : "";
                line(
                        device.name(),
                        "%s, %.1f GiB of memory%s"
                                .formatted(device.description(), device.memoryBytes() / (double) (1L << 30), chosen));
            }
            backend.details().forEach(detail -> line("", detail));
        }
        return ExitCodes.OK;
    }

    private void line(String device, String text) {
        terminal.out().printf("%-12s %s%n", device, Printable.text(text, 1000));
    }
}
