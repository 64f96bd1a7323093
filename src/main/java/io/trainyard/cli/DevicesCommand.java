package io.trainyard.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.trainyard.device.DeviceBackend;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.Devices;
import io.trainyard.spec.Printable;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "devices",
        description = "Lists the devices of this machine, and why others are missing.",
        exitCodeList = {ExitCodes.OK_HELP, ExitCodes.UNEXPECTED_HELP},
        footer = {"  ./trainyard devices", "  ./trainyard devices --json | jq 'select(.chosen)'"})
public final class DevicesCommand extends PlainCommand {

    @Option(names = "--json", description = "Print a JSON object per device or missing kind, one per line.")
    private boolean json;

    /// A device, or a kind without devices.
    ///
    /// @param why the reason for its absence; null if it is available
    /// @param chosen whether `auto` chooses it
    record Line(
            String device,
            boolean available,
            @JsonInclude(Include.NON_NULL) @Nullable String why,
            @JsonInclude(Include.NON_NULL) @Nullable String description,
            long memoryBytes,
            boolean chosen) {}

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
            Optional<String> missing = backend.whyUnavailable();
            if (missing.isPresent()) {
                print(new Line(backend.kind(), false, missing.get(), null, 0, false));
            }
            List<DeviceInfo> devices = backend.devices();
            for (DeviceInfo device : devices) {
                boolean chosen =
                        device.equals(devices.getFirst()) && backend.kind().equals(best);
                print(new Line(device.name(), true, null, device.description(), device.memoryBytes(), chosen));
            }
            if (!json) {
                backend.details().forEach(detail -> line("", detail));
            }
        }
        return ExitCodes.OK;
    }

    private void print(Line line) {
        if (json) {
            terminal.printJson(line);
        } else if (line.available()) {
            line(
                    line.device(),
                    "%s, %.1f GiB of memory%s"
                            .formatted(
                                    line.description(),
                                    line.memoryBytes() / (double) (1L << 30),
                                    line.chosen() ? "; the choice of auto" : ""));
        } else {
            line(line.device(), "not available: " + line.why());
        }
    }

    private void line(String device, String text) {
        terminal.out().printf("%-12s %s%n", device, Printable.text(text, 1000));
    }
}
