package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.Campaign;
import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.device.cuda.layer.Numbers;
import io.trainyard.spec.Precision;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// All kernels compile for every GPU since Turing without a warning or register spills. Needs nvcc (CUDA 13 for
/// the newest GPUs) but no GPU. Unlike NVRTC, nvcc accepts a generic lambda without `__device__`.
///
/// Kernels that stream tensors need at most the registers in docs/evidence/cuda-kernels.md, and have loads of the width
/// there. `-Dgolden.write=true` rewrites its rows.
@Slow
final class KernelsCompileTest {
    /// The oldest of each generation: later ones have its instructions, too.
    private static final List<String> GENERATIONS = List.of("sm_75", "sm_80", "sm_90", "sm_100", "sm_120");

    private static final List<String> OTHERS =
            List.of("sm_86", "sm_87", "sm_88", "sm_89", "sm_103", "sm_110", "sm_121");

    private static final int OLDEST = 75;
    private static final int FIRST_WITH_CLUSTERS = 90;

    private static final Path PAGE = Path.of("docs/evidence/cuda-kernels.md");
    private static final Pattern ROW = Pattern.compile("\\| `(\\w+)`, (\\w+) \\| (\\d+) \\| (.*) \\|");
    private static final Pattern REGISTERS =
            Pattern.compile("Compiling entry function '(\\w+)' for '(sm_\\d+)'[^']*?Used (\\d+) registers");
    private static final Pattern LOAD = Pattern.compile("ld\\.global\\.(?:nc\\.)?(?:v(\\d)\\.)?[a-z](\\d+)");

    /// An empty file marks each source that has compiled.
    private static final Path COMPILED = Path.of("target", "compiled-kernels");

    private static @Nullable Path nvcc;

    @TempDir
    private Path folder;

    @BeforeAll
    static void findNvcc() {
        nvcc = Stream.concat(Stream.of(System.getenv("PATH").split(":")), Stream.of("/usr/local/cuda/bin"))
                .map(bin -> Path.of(bin, "nvcc"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        assumeTrue(nvcc != null, "there is no nvcc: install the CUDA toolkit");
    }

    private static Stream<Arguments> programs() {
        return Stream.of(
                Arguments.of("a kernel for each piece of a step", KernelSource.text(), Precision.FP32),
                Arguments.of("a kernel for each piece of a step", KernelSource.text(), Precision.BF16));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void compileForEachGenerationOfGpus(String program, String text, Precision precision) throws Exception {
        compile(text, precision, GENERATIONS);
    }

    @ParameterizedTest
    @MethodSource("programs")
    @Campaign
    void compileForAllOtherGpus(String program, String text, Precision precision) throws Exception {
        compile(text, precision, OTHERS);
    }

    /// Only the second step, from PTX to machine code, differs between GPUs. Therefore PTX is compiled twice
    /// only: for the oldest GPU and for the oldest with clusters. Machine code takes about five seconds per GPU
    /// and program, once.
    private void compile(String text, Precision precision, List<String> wanted) throws Exception {
        List<String> known =
                run(List.of(String.valueOf(nvcc), "--list-gpu-code")).lines().toList();
        List<String> gpus = wanted.stream().filter(known::contains).toList();
        assertThat(gpus).as("GPUs that %s knows", nvcc).isNotEmpty();
        Path source = Files.writeString(folder.resolve("kernels.cu"), text);
        List<String> options = Numbers.of(precision).options();
        Path done = COMPILED.resolve(digest(text + options + gpus + version() + Files.readString(PAGE)));
        boolean write = Boolean.getBoolean("golden.write");
        if (Files.exists(done) && !write) {
            return; // unchanged since the last success
        }

        List<String> command = new ArrayList<>(List.of(
                String.valueOf(nvcc),
                "-fatbin",
                "--threads",
                "0",
                "-Werror",
                "all-warnings",
                "-diag-suppress", // a constant for the other program
                "177",
                "-Xptxas",
                "--warn-on-spills,--warn-on-local-memory-usage,-v",
                "-keep",
                "-keep-dir",
                folder.toString(),
                "-o",
                folder.resolve("kernels.fatbin").toString(),
                source.toString()));
        command.addAll(targets(gpus));
        command.addAll(options);
        String report = run(command);
        if (wanted.equals(GENERATIONS) && gpus.equals(wanted)) {
            comparePage(report, precision, write);
        }
        Files.createDirectories(COMPILED);
        Files.createFile(done);
    }

    private void comparePage(String report, Precision precision, boolean write) throws IOException {
        Map<String, Integer> registers = REGISTERS
                .matcher(report)
                .results()
                .collect(Collectors.toMap(
                        found -> found.group(1) + found.group(2), found -> Integer.valueOf(found.group(3))));
        Map<String, String> ptx = Stream.of(Files.readString(folder.resolve("kernels.compute_90.ptx"))
                        .split("\\.visible \\.entry "))
                .skip(1)
                .collect(Collectors.toMap(kernel -> kernel.substring(0, kernel.indexOf('(')), kernel -> kernel));
        List<String> page = new ArrayList<>(Files.readAllLines(PAGE));
        for (int i = 0; i < page.size(); i++) {
            Matcher row = ROW.matcher(page.get(i));
            if (!row.matches() || !row.group(2).equals(precision.toString())) {
                continue;
            }
            String kernel = row.group(1);
            List<Integer> used =
                    GENERATIONS.stream().map(gpu -> registers.get(kernel + gpu)).toList();
            int widest = LOAD.matcher(ptx.get(kernel))
                    .results()
                    .mapToInt(load -> Integer.parseInt(load.group(2))
                            * (load.group(1) == null ? 1 : Integer.parseInt(load.group(1))))
                    .max()
                    .orElse(0);
            if (write) {
                String numbers = used.stream().map(String::valueOf).collect(Collectors.joining(" | "));
                page.set(i, "| `%s`, %s | %d | %s |".formatted(kernel, precision, widest, numbers));
                continue;
            }
            List<Integer> limits =
                    Stream.of(row.group(4).split(" \\| ")).map(Integer::valueOf).toList();
            assertThat(widest).as("the widest load of %s", kernel).isEqualTo(Integer.parseInt(row.group(3)));
            assertThat(used).as("registers of %s for %s", kernel, GENERATIONS).hasSameSizeAs(limits);
            for (int k = 0; k < limits.size(); k++) {
                assertThat(used.get(k))
                        .as("registers of %s for %s", kernel, GENERATIONS.get(k))
                        .isLessThanOrEqualTo(limits.get(k));
            }
        }
        if (write) {
            Files.write(PAGE, page);
        }
    }

    private static List<String> targets(List<String> gpus) {
        return gpus.stream()
                .collect(Collectors.groupingBy(
                        gpu -> architecture(gpu) < FIRST_WITH_CLUSTERS ? OLDEST : FIRST_WITH_CLUSTERS))
                .entrySet()
                .stream()
                .flatMap(entry -> Stream.of(
                        "-gencode",
                        "arch=compute_%d,code=[%s]".formatted(entry.getKey(), String.join(",", entry.getValue()))))
                .toList();
    }

    private static int architecture(String gpu) {
        return Integer.parseInt(gpu.substring("sm_".length()));
    }

    private static String version() throws IOException, InterruptedException {
        return run(List.of(String.valueOf(nvcc), "--version"));
    }

    private static String digest(String text) throws NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest);
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("nvcc", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                assertThat(process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .as("%s ends", command.getFirst())
                        .isTrue();
            } finally {
                process.destroyForcibly();
            }
            String text = Files.readString(output);
            assertThat(process.exitValue())
                    .as("%s%n%s", String.join(" ", command), text)
                    .isZero();
            return text;
        } finally {
            Files.delete(output);
        }
    }
}
