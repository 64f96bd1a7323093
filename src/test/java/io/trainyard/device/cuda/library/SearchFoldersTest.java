package io.trainyard.device.cuda.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS) // like the CUDA device
class SearchFoldersTest {
    @TempDir
    Path root;

    private Path folder(String name) {
        try {
            return Files.createDirectories(root.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A python3 that is executable but never executed.
    private Path python(String prefix) throws IOException {
        Path python = folder(prefix + "/bin").resolve("python3");
        Files.createFile(python);
        assertThat(python.toFile().setExecutable(true)).isTrue();
        return python;
    }

    @Test
    void thePropertyOverridesTheVariable() {
        Map<String, String> environment = Map.of("CUDA_LIBRARIES", "/one:/two");
        assertThat(SearchFolders.of("/three", environment, root).configured()).containsExactly(Path.of("/three"));
        assertThat(SearchFolders.of(null, environment, root).configured())
                .containsExactly(Path.of("/one"), Path.of("/two"));
    }

    @Test
    void configuredFoldersAreAbsoluteAndDistinct() {
        assertThat(SearchFolders.of("::relative: /one/../two:/two/:", Map.of(), root)
                        .configured())
                .containsExactly(Path.of("relative").toAbsolutePath(), Path.of("/two"));
    }

    @Test
    void cudasFoldersComeBeforeThoseOfPythonsPackages() throws IOException {
        Path cuda = folder("usr/local/cuda/lib64");
        Path newer = folder("usr/local/cuda-13.0/lib64");
        Path older = folder("usr/local/cuda-12.4/lib64");
        Path debian = folder("usr/lib/x86_64-linux-gnu");
        python("venv");
        Path packages = folder("venv/lib/python3.12/site-packages/nvidia/cudnn/lib");
        assertThat(SearchFolders.of(null, Map.of("PATH", root + "/none:" + root + "/venv/bin"), root)
                        .usual())
                .containsExactly(cuda, newer, older, debian, packages);
    }

    @Test
    void packagesAreFoundWhereTheLinkIsAndWhereItLeads() throws IOException {
        Path real = python("opt/python");
        Path ofReal = folder("opt/python/lib/python3.11/site-packages/nvidia/cu13/lib");
        Path ofLink = folder("venv/lib/python3.11/site-packages/nvidia/cublas/lib");
        Files.createSymbolicLink(folder("venv/bin").resolve("python3"), real);
        assertThat(SearchFolders.of(null, Map.of("PATH", root + "/venv/bin"), root)
                        .usual())
                .containsExactly(ofLink, ofReal);
    }

    @Test
    void searchesOnlyTheFirstPythonOfThePath() throws IOException {
        python("first");
        python("second");
        folder("second/lib/python3.11/site-packages/nvidia/cu13/lib");
        assertThat(SearchFolders.of(null, Map.of("PATH", root + "/first/bin:" + root + "/second/bin"), root)
                        .usual())
                .isEmpty();
    }

    @Test
    void searchesActiveEnvironmentsAndUserPackages() {
        Path venv = folder("venv/lib/python3.13/site-packages/nvidia/cudnn/lib");
        Path conda = folder("conda/lib");
        Path ofConda = folder("conda/lib/python3.12/site-packages/nvidia/cublas/lib");
        Path debian = folder("home/.local/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib");
        Map<String, String> environment =
                Map.of("VIRTUAL_ENV", root + "/venv", "CONDA_PREFIX", root + "/conda", "HOME", root + "/home");
        assertThat(SearchFolders.of(null, environment, root).usual()).containsExactly(conda, venv, ofConda, debian);
    }

    @Test
    void inspectsAFolderOnce() {
        Path cuda = folder("usr/local/cuda/lib64");
        assertThat(SearchFolders.of(cuda.toString(), Map.of(), root).usual()).isEmpty();
    }

    @Test
    void stopsInAnEndlessFolder() {
        for (int i = 0; i < 70; i++) {
            folder("many/lib" + i);
        }
        assertThat(SearchFolders.matches(root.resolve("many"), "*")).hasSize(64);
        assertThat(SearchFolders.matches(root.resolve("nothing"), "*")).isEmpty();
    }
}
