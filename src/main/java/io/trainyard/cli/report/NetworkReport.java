package io.trainyard.cli.report;

import static java.util.Locale.ROOT;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.trainyard.cli.terminal.TextTable;
import io.trainyard.device.DeviceBackend;
import io.trainyard.device.Devices;
import io.trainyard.device.Workload;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The output of `network show`.
///
/// @param network its name, or its number of layers
/// @param input the shape of one sample
/// @param layers including nested ones, after the layer that contains them
/// @param parameters number of trained values
/// @param buffers number of other stored values, such as running statistics
/// @param multiplyAdds of one sample's forward pass, in convolutions and linear layers
/// @param trainingMultiplyAdds of training one sample
public record NetworkReport(
        String network,
        Shape input,
        int batchSize,
        List<LayerRow> layers,
        long parameters,
        long buffers,
        long multiplyAdds,
        long trainingMultiplyAdds,
        Memory memoryBytes,
        List<DeviceRow> devices) {
    /// @param output the shape of one sample behind it
    /// @param parameters values of its own that are trained; those of layers within it are theirs
    /// @param buffers likewise
    public record LayerRow(String name, String type, Shape output, long parameters, long buffers, long multiplyAdds) {}

    /// Bytes in float32.
    ///
    /// @param parameters with the buffers
    /// @param optimizerState what the optimizer and the loop keep of the parameters
    /// @param activations a batch's samples and all layers' outputs
    /// @param activationGradients as many, in training
    /// @param estimate what a device counts on: with copies in other layouts
    public record Memory(
            long parameters,
            long gradients,
            long optimizerState,
            long activations,
            long activationGradients,
            long estimate) {}

    /// @param device the kind, or `devices` for several of a kind
    /// @param computes the implementation that computes the network
    /// @param unavailable the reason why this machine has none; null if it has one
    /// @param refuses the reason why it cannot run the job on any machine; null if it can
    @JsonInclude(Include.NON_NULL)
    public record DeviceRow(
            String device,
            String computes,
            @Nullable String unavailable,
            @Nullable String refuses) {}

    /// @param network the job's, in place
    public static NetworkReport of(JobSpec job, Network network, int batchSize) {
        long trained = elements(network.parameters(), true);
        long buffers = elements(network.parameters(), false);
        long activations = Float.BYTES * batchSize * network.activationElements();
        return new NetworkReport(
                job.network().label(),
                network.input(),
                batchSize,
                network.allLayers().stream().map(NetworkReport::row).toList(),
                trained,
                buffers,
                network.multiplyAdds(),
                network.trainingMultiplyAdds(),
                new Memory(
                        Float.BYTES * (trained + buffers),
                        Float.BYTES * trained,
                        Float.BYTES * trained * job.update().slots().size(),
                        activations,
                        activations,
                        Workload.estimatedBytes(network, job.update(), batchSize)),
                devices(job, network, batchSize));
    }

    private static LayerRow row(Network.Layer layer) {
        List<ParameterSpec> within = layer.branches().stream()
                .flatMap(List::stream)
                .flatMap(inner -> inner.parameters().stream())
                .toList();
        return new LayerRow(
                layer.name(),
                layer.spec().type(),
                layer.out(),
                elements(layer.parameters(), true) - elements(within, true),
                elements(layer.parameters(), false) - elements(within, false),
                layer.spec().multiplyAdds(layer.in()));
    }

    private static long elements(List<ParameterSpec> parameters, boolean trained) {
        return parameters.stream()
                .filter(parameter -> parameter.trained() == trained)
                .mapToLong(parameter -> parameter.shape().elements())
                .sum();
    }

    private static List<DeviceRow> devices(JobSpec job, Network network, int batchSize) {
        List<DeviceRow> rows = new ArrayList<>();
        for (DeviceBackend backend : Devices.backends()) {
            String refuses = whyRefused(backend, job);
            rows.add(new DeviceRow(
                    backend.kind(),
                    backend.computes(network, job.precision(), batchSize),
                    backend.whyUnavailable().orElse(null),
                    refuses));
        }
        rows.add(new DeviceRow("devices", "a part of each batch on each of several", null, null));
        return rows;
    }

    private static @Nullable String whyRefused(DeviceBackend backend, JobSpec job) {
        if (!backend.precisions().contains(job.precision())) {
            return "it computes in %s only, not in %s"
                    .formatted(
                            backend.precisions().stream()
                                    .sorted()
                                    .map(Precision::toString)
                                    .collect(Collectors.joining(" or ")),
                            job.precision());
        }
        return null; // nothing is in its way
    }

    /// For people, a line each.
    public Stream<String> lines() {
        List<List<String>> table = new ArrayList<>();
        table.add(List.of("LAYER", "TYPE", "OUTPUT", "PARAMETERS", "BUFFERS", "MULTIPLY-ADDS"));
        layers.forEach(row -> table.add(List.of(
                row.name(),
                row.type(),
                row.output().toString(),
                count(row.parameters()),
                count(row.buffers()),
                count(row.multiplyAdds()))));
        table.add(List.of("all", "", "", count(parameters), count(buffers), count(multiplyAdds)));
        List<String> lines = new ArrayList<>();
        lines.add("%s, samples of %s, batches of %d".formatted(network, input, batchSize));
        lines.addAll(TextTable.lines(table, column -> column > 2));
        lines.add("training: %s multiply-adds a sample, forward and backward".formatted(count(trainingMultiplyAdds)));
        lines.add(
                "memory: parameters %s, gradients %s, optimizer %s, activations %s, their gradients %s; a device counts on %s"
                        .formatted(
                                mebibytes(memoryBytes.parameters()),
                                mebibytes(memoryBytes.gradients()),
                                mebibytes(memoryBytes.optimizerState()),
                                mebibytes(memoryBytes.activations()),
                                mebibytes(memoryBytes.activationGradients()),
                                mebibytes(memoryBytes.estimate())));
        lines.addAll(TextTable.lines(
                devices.stream().map(row -> List.of(row.device(), fate(row))).toList(), _ -> false));
        return lines.stream();
    }

    private static String fate(DeviceRow row) {
        if (row.refuses() != null) {
            return "refuses it: " + row.refuses();
        }
        return row.unavailable() == null
                ? row.computes()
                : "%s; not here: %s".formatted(row.computes(), row.unavailable());
    }

    private static String count(long number) {
        return String.format(ROOT, "%,d", number);
    }

    private static String mebibytes(long bytes) {
        return String.format(ROOT, "%,.1f MiB", bytes / (double) (1 << 20));
    }
}
