package io.trainyard.kubernetes;

import io.trainyard.Patience;
import io.trainyard.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Renders folders of k8s with `kubectl kustomize`.
public final class Kustomize {
    public static final Path FOLDER = Path.of("k8s");

    /// The copy from the launcher, for machines without kubectl.
    private static final Path OWN = Path.of("target/kubectl/usr/bin/kubectl").toAbsolutePath();

    private Kustomize() {}

    static List<String> overlays() throws IOException {
        return folders("overlays");
    }

    static List<String> components() throws IOException {
        return folders("components");
    }

    private static List<String> folders(String kind) throws IOException {
        try (Stream<Path> folders = Files.list(FOLDER.resolve(kind))) {
            return folders.map(Path::getFileName).map(Path::toString).sorted().toList();
        }
    }

    public static String render(Path folder) throws IOException, InterruptedException {
        Path kubectl = Files.isExecutable(OWN) ? OWN : Programs.find("kubectl", "kubectl, of trixie or newer");
        Path out = Files.createTempFile("rendered", ".yaml");
        Path err = Files.createTempFile("rendered", ".log");
        try {
            Process process = new ProcessBuilder(kubectl.toString(), "kustomize", folder.toString())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            if (!process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError("%s kustomize %s: %s".formatted(kubectl, folder, Files.readString(err)));
            }
            return Files.readString(out);
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    /// The base with components, in a temporary folder next to the others.
    static String renderWith(String base, String... components) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(FOLDER, ".with-");
        Path file = folder.resolve("kustomization.yaml");
        try {
            Files.writeString(file, """
                    apiVersion: kustomize.config.k8s.io/v1beta1
                    kind: Kustomization
                    namespace: trainyard
                    resources: [../%s]
                    components: %s
                    """.formatted(
                    base,
                    Arrays.stream(components).map("../components/"::concat).toList()));
            return render(folder);
        } finally {
            Files.delete(file);
            Files.delete(folder);
        }
    }
}
