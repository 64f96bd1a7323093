package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.spec.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Compares the table in docs/evidence/cuda-counts.md with the actual GPU work of a step, so that changes are
/// noticed. `./mvnw test -Dtest=StepCountFakeCudaTest -Dtest.fake-cuda.excluded=
/// -Dsurefire.failIfNoSpecifiedTests=false` writes the new table to target/step-counts.md.
@OnFakeCuda
final class StepCountFakeCudaTest {
    private static final Path PAGE = Path.of("docs/evidence/cuda-counts.md");
    private static final Path COUNTED = Path.of("target/step-counts.md");

    /// Latency between two dependent nodes: NVIDIA, "Getting Started with CUDA Graphs".
    private static final double NODE_MICROS = 0.5;

    /// GB/s according to NVIDIA's data sheets: H100 SXM, A100 SXM with 80 GB, L4.
    private static final double[] BANDWIDTHS = {3350, 2039, 300};

    private static final List<StepCount.Case> SMALL = List.of(
            new StepCount.Case("lenet", 4, Precision.FP32, 50_000),
            new StepCount.Case("lenet", 4, Precision.BF16, 50_000),
            new StepCount.Case("signs", 32, Precision.FP32, 1_080),
            new StepCount.Case("fashion", 100, Precision.FP32, 60_000),
            new StepCount.Case("tudui", 64, Precision.FP32, 50_000),
            new StepCount.Case("tudui", 64, Precision.BF16, 50_000));
    private static final List<StepCount.Case> LARGE = List.of(
            new StepCount.Case("resnet18-cifar", 128, Precision.FP32, 50_000),
            new StepCount.Case("resnet18-cifar", 512, Precision.BF16, 50_000));

    static List<StepCount.Case> small() {
        return SMALL.subList(0, 4);
    }

    @ParameterizedTest
    @MethodSource("small")
    void thePageHasTheMeasuredFlop(StepCount.Case network) throws IOException {
        assertThat(Files.readAllLines(PAGE)).contains(row(network));
    }

    /// Takes half a minute.
    @Test
    @Campaign
    void thePageHasAllNetworks() throws IOException {
        List<String> rows = Stream.concat(SMALL.stream(), LARGE.stream())
                .map(StepCountFakeCudaTest::row)
                .toList();
        Files.createDirectories(COUNTED.getParent());
        Files.write(COUNTED, rows);
        assertThat(Files.readAllLines(PAGE)).as("rows as %s has them", COUNTED).containsSequence(rows);
    }

    private static String row(StepCount.Case of) {
        return row(of, of.batchSize() > 64 ? StepCount.continued(of) : StepCount.of(of));
    }

    private static String row(StepCount.Case of, StepCount count) {
        int steps = of.stepsPerGraph(count.nodes());
        StringBuilder row = new StringBuilder("| %s, %d, %s | %d | %d | %d | %s | %d |"
                .formatted(
                        of.network(),
                        of.batchSize(),
                        of.precision(),
                        steps,
                        count.nodes(),
                        count.chain(),
                        megabytes(count.bytes()),
                        Math.ceilDiv(of.stepsPerEpoch(), steps)));
        for (double bandwidth : BANDWIDTHS) {
            double micros = count.chain() * NODE_MICROS + count.bytes() / (bandwidth * 1e3);
            row.append(String.format(Locale.ROOT, " %.0f |", micros));
        }
        return row.toString();
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, bytes < 10_000_000 ? "%.2f" : "%.0f", bytes / 1e6);
    }

    /// TensorFloat-32 only selects another mode of the libraries.
    @Test
    void tf32IsCountedAsFp32() {
        assertThat(StepCount.of(new StepCount.Case("lenet", 4, Precision.TF32, 50_000)))
                .isEqualTo(StepCount.of(SMALL.getFirst()));
    }
}
