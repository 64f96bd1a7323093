package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Page;
import io.trainyard.device.DeviceChoices;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCases;
import io.trainyard.event.RunLog;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.BuiltInNetworks;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Join;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Residual;
import io.trainyard.spec.Shape;
import io.trainyard.spec.TargetScale;
import io.trainyard.spec.UpdateSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks docs/reference/checkpoints.md against the written files.
class CheckpointsPageTest {
    private static final Page PAGE = Page.read("docs/reference/checkpoints.md");
    private static final String ENDING = "checkpoints/step-0000000009-3";

    @TempDir
    private Path root;

    @Test
    void aJobsFolderHasTheFilesOfThePage() throws IOException {
        CheckpointStore store = CheckpointStore.open(root.toUri());
        CheckpointRef _ = new JobFolder(store, "other").checkpoints().save(checkpoint());
        JobFolder folder = new JobFolder(store, "job");
        assertThat(folder.keepSpec("{}")).isTrue();
        assertThat(folder.beginAttempt("w1")).isEqualTo(1);
        assertThat(folder.source(new CheckpointName("other", null)).epoch()).isEqualTo(3);
        CheckpointRef _ = folder.checkpoints().save(checkpoint());
        folder.noteFrom(2, folder.checkpoints().newest());
        folder.noteStarted(1);
        folder.notePreempted(1, "urgent");
        Stream.of("predictions.csv", "mistakes.json", "mistake-7.png")
                .forEach(name -> folder.keepResult(name, new byte[0]));
        Files.writeString(root.resolve("job").resolve(RunLog.FILE), ""); // by ./trainyard train
        folder.group("group").approach(9, "job", 2);
        folder.group("group").keepResult(3, "job", 1, "0.5");
        assertThat(folder.keep(checkpoint().choices())).isEqualTo(checkpoint().choices());
        try (Stream<Path> files = Stream.concat(Files.walk(root.resolve("job")), Files.walk(root.resolve("group")))) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> root.relativize(file).toString())
                            .map(name -> name.replaceFirst("^job/", "<job>/")
                                    .replace(
                                            "group/rungs/3/job~1~0.5",
                                            "<group>/rungs/<epochs>/<job>~<attempt>~<result>")
                                    .replace("group/rungs/9/job~2", "<group>/rungs/<epochs>/<job>~<attempt>")
                                    .replaceFirst("(?<=from-)\\d+-\\d+", "<step>-<attempt>")
                                    .replaceFirst("(?<=step-)\\d+-\\d+", "<n>-<attempt>")
                                    .replaceFirst("(?<=mistake-)\\d+", "<n>")
                                    .replaceFirst("(?<=attempts/)\\d+", "<n>")
                                    .replaceFirst("(?<=choices/)[\\w-]+", "<kind>")))
                    .containsExactlyInAnyOrderElementsOf(column(PAGE.section("## A job's folder")));
        }
    }

    @Test
    void theHeadersAreThoseOfThePage() throws IOException {
        CheckpointRef _ = new JobFolder(CheckpointStore.open(root.toUri()), "job")
                .checkpoints()
                .save(checkpoint());
        Set<String> model = metadata(ENDING + ".safetensors");
        Set<String> training = metadata(ENDING + ".training.safetensors");
        assertThat(column(PAGE.section("## The model").tableOf("key"))).containsExactlyInAnyOrderElementsOf(model);
        training.removeAll(model);
        assertThat(column(PAGE.section("## The training state").tableOf("key")))
                .containsExactlyInAnyOrderElementsOf(training);
    }

    private Set<String> metadata(String file) throws IOException {
        try (InputStream in = Files.newInputStream(root.resolve("job").resolve(file))) {
            return new TreeSet<>(SafeTensors.read(in).metadata().keySet());
        }
    }

    @Test
    void theTrainingStateHasEveryOptimizersTensors() {
        ParameterSpec weight = new ParameterSpec("<parameter>", Shape.of(1), new ParameterSpec.Init.Constant(0), true);
        Set<String> tensors = new TreeSet<>(Set.of("random"));
        Stream.concat(
                        CheckWorkload.optimizers().stream().map(optimizer -> new UpdateSpec(optimizer, LoopSpec.NONE)),
                        CheckWorkload.loops().stream().map(loop -> new UpdateSpec(CheckWorkload.MOMENTUM, loop)))
                .flatMap(update -> update.state(List.of(weight)).stream())
                .forEach(entry -> tensors.add("optimizer." + entry.name()));
        assertThat(column(PAGE.section("## The training state"))).containsExactlyInAnyOrderElementsOf(tensors);
    }

    @Test
    void everyLayerWithParametersHasItsTensors() {
        Map<String, Set<String>> published = new TreeMap<>();
        PAGE.section("## The model")
                .table()
                .forEach(row -> published.put(Page.code(row, 0).getFirst(), new TreeSet<>(Page.code(row, 1))));
        Map<String, Set<String>> found = new TreeMap<>();
        LayerCases.all()
                .forEach(row -> Network.fit(NetworkSpec.ofLayers(row.layers()), row.input(), row.classes())
                        .allLayers()
                        .forEach(layer -> addOwn(layer, found)));
        assertThat(published).isEqualTo(found);
    }

    private static void addOwn(Network.Layer layer, Map<String, Set<String>> found) {
        List<ParameterSpec> own = layer.spec().parameters(layer.in());
        if (!own.isEmpty() && !(layer.spec() instanceof Join)) {
            String type = layer.spec().getClass().getSimpleName();
            Set<String> names = found.computeIfAbsent(
                    Character.toLowerCase(type.charAt(0)) + type.substring(1), _ -> new TreeSet<>());
            own.forEach(parameter -> names.add(parameter.name()));
        }
    }

    @Test
    void theBuiltInNetworksHaveTheNamesOfThePage() {
        Map<String, List<String>> published = new LinkedHashMap<>();
        PAGE.section("### In PyTorch")
                .table()
                .forEach(row -> published.put(Page.code(row, 0).getFirst(), Page.code(row, 1)));
        assertThat(published.keySet()).containsExactlyInAnyOrderElementsOf(BuiltInNetworks.names());
        published.forEach((network, modules) -> assertThat(modules).as(network).isEqualTo(modules(network)));
    }

    /// The module names before the last dot. For networks with several stages of blocks, only the first and the
    /// last stage.
    private static List<String> modules(String network) {
        List<String> modules = new ArrayList<>();
        for (LayerSpec layer : NetworkSpec.named(network).layers()) {
            String name = String.valueOf(layer.name());
            if (layer instanceof Residual || name.startsWith("features.") || name.startsWith("classifier.")) {
                name = name.substring(0, name.indexOf('.'));
            } else if (!(layer instanceof Conv2d
                    || layer instanceof LayerSpec.Linear
                    || layer instanceof BatchNorm.BatchNorm2d)) {
                continue;
            }
            if (!modules.contains(name)) {
                modules.add(name);
            }
        }
        modules.removeAll(List.of("layer2", "layer3")); // between the first and the last
        return modules;
    }

    private static List<String> column(Page page) {
        return page.table().stream().flatMap(row -> Page.code(row, 0).stream()).toList();
    }

    private static Checkpoint checkpoint() {
        Parameters tensors = new Parameters(Map.of("w", new Tensor.Floats(Shape.of(1), new float[] {1})));
        DeviceChoices choices =
                new DeviceChoices(Map.of("a GPU", Map.of("FORWARD of a convolution", "engine 1 knobs 2=3")));
        Progress progress = new Progress(3, 2, 9, new long[] {1, 2, 3}, 0.5, 0.75, 1, 123_456, 0.25, 0.125);
        TargetScale targets = new TargetScale(List.of(1f), List.of(2f));
        return new Checkpoint(new SessionState(tensors, tensors), targets, progress, 2, choices, 3, List.of());
    }
}
