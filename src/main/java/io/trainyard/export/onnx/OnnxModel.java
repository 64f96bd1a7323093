package io.trainyard.export.onnx;

import io.trainyard.data.PixelScale;
import io.trainyard.device.Parameters;
import io.trainyard.export.ExportException;
import io.trainyard.export.ReplacedFile;
import io.trainyard.protobuf.ProtobufWriter;
import io.trainyard.spec.Network;
import io.trainyard.spec.Shape;
import io.trainyard.spec.TargetScale;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A trained network as it is written to an ONNX file. Its input `input` is a batch of samples before their
/// normalization, which is part of the graph.
///
/// @param parameters that fit the network
/// @param targets the scale of what the network predicts, which the graph undoes; null: none
/// @param output name of the output: what the last layer gives
/// @param version of the program, for the file
/// @param metadata for the file
public record OnnxModel(
        Network network,
        Parameters parameters,
        PixelScale scale,
        @Nullable TargetScale targets,
        String output,
        String version,
        Map<String, String> metadata) {
    public static final String INPUT = "input";

    /// The first with LayerNormalization.
    static final int OPSET = 17;

    private static final int IR_VERSION = 8;

    /// Protocol Buffers has no longer messages.
    private static final long MAX_BYTES = Integer.MAX_VALUE;

    /// The file appears when it is complete.
    ///
    /// @throws ExportException if it cannot be written, or the model is too large for the format
    public void write(Path file) {
        write(graph(), file);
    }

    void write(Graph graph, Path file) {
        byte[] head = head(graph.length());
        long bytes = head.length + graph.length();
        if (bytes > MAX_BYTES) {
            throw new ExportException(
                    "%s would have %d bytes; an ONNX file can have at most %d; the checkpoint itself is a safetensors file, which has no such limit"
                            .formatted(file, bytes, MAX_BYTES));
        }
        try (ReplacedFile replaced = new ReplacedFile(file)) {
            OutputStream out = replaced.out();
            out.write(head);
            graph.write(out);
            replaced.finish();
        } catch (IOException e) {
            throw new ExportException("%s cannot be written".formatted(file), e);
        }
    }

    /// All before the bytes of the graph.
    private byte[] head(long graphLength) {
        ProtobufWriter head = new ProtobufWriter()
                .number(1, IR_VERSION)
                .text(2, "Trainyard")
                .text(3, version)
                .message(8, new ProtobufWriter().text(1, "").number(2, OPSET));
        metadata.forEach((key, value) ->
                head.message(14, new ProtobufWriter().text(1, key).text(2, value)));
        return head.begin(7, graphLength).bytes();
    }

    private Graph graph() {
        Graph graph = new Graph();
        graph.layer(INPUT);
        graph.input(INPUT, network.input());
        graph.output(output, Shape.of(network.classes()));
        String last = new LayerNodes(graph, parameters).add(network.layers(), normalized(graph));
        graph.node("Identity", List.of(inUnitsOfTargets(graph, last)), output);
        return graph;
    }

    private String inUnitsOfTargets(Graph graph, String predicted) {
        if (targets == null) {
            return predicted;
        }
        List<Integer> sizes = List.of(network.classes());
        String scaled = graph.node("Mul", List.of(predicted, graph.constant(floats(targets.std()), sizes)));
        return graph.node("Add", List.of(scaled, graph.constant(floats(targets.mean()), sizes)));
    }

    private static float[] floats(List<Float> values) {
        float[] all = new float[values.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = values.get(i);
        }
        return all;
    }

    private String normalized(Graph graph) {
        if (!scale.normalizes()) {
            return INPUT;
        }
        int channels = network.input().size(0);
        float[] means = new float[channels];
        float[] stds = new float[channels];
        for (int i = 0; i < channels; i++) {
            means[i] = scale.mean(i);
            stds[i] = scale.std(i);
        }
        List<Integer> sizes = LayerNodes.perChannel(network.input());
        String centered = graph.node("Sub", List.of(INPUT, graph.constant(means, sizes)));
        return graph.node("Div", List.of(centered, graph.constant(stds, sizes)));
    }
}
