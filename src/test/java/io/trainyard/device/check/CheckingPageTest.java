package io.trainyard.device.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Page;
import io.trainyard.spec.Precision;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Checks docs/how-to/check-a-node.md against the checks.
class CheckingPageTest {
    private static final Page PAGE = Page.read("docs/how-to/check-a-node.md");

    @Test
    void everyGroupOfChecksHasARowInItsPlace() {
        assertThat(PAGE.section("## Checks").table())
                .extracting(row -> Page.code(row, 0).getFirst())
                .containsExactlyElementsOf(Arrays.stream(CheckGroup.values())
                        .map(CheckGroup::toString)
                        .toList());
    }

    @Test
    void theTolerancesAreThoseOfThePage() {
        List<List<String>> rows = PAGE.section("## Checks").tableOf("precision").table();
        assertThat(rows).hasSameSizeAs(Precision.values());
        for (List<String> row : rows) {
            Precision precision = Arrays.stream(Precision.values())
                    .filter(known -> Page.code(row, 0).contains(known.toString()))
                    .findFirst()
                    .orElseThrow();
            assertThat(new Tolerance(Double.parseDouble(row.get(1)), Double.parseDouble(row.get(2))))
                    .isEqualTo(Tolerance.of(precision));
            assertThat(row.get(3).startsWith("each value")).isEqualTo(precision == Precision.FP32);
            assertThat(new Tolerance(0, Double.parseDouble(row.get(4)))).isEqualTo(GoldenRun.tolerance(precision));
        }
    }

    @Test
    void theBenchmarkHasTheCasesOfThePage() {
        List<String> documented = PAGE.section("## The benchmark").table().stream()
                .flatMap(row -> precisions(row.get(4))
                        .map(precision -> "%s %s %s %s %s"
                                .formatted(
                                        Page.code(row, 0).getFirst(),
                                        number(row.get(1)),
                                        number(row.get(2)),
                                        number(row.get(3)),
                                        precision)))
                .toList();
        assertThat(documented)
                .containsExactlyInAnyOrderElementsOf(BenchmarkCase.usual(FaultyDevice.none()).stream()
                        .map(of -> "%s %d %d %d %s"
                                .formatted(of.network(), of.batchSize(), of.trains(), of.tests(), of.precision()))
                        .toList());
    }

    private static Stream<String> precisions(String cell) {
        Stream<String> all = Arrays.stream(Precision.values()).map(Precision::toString);
        return cell.equals("all") ? all : Page.code(List.of(cell), 0).stream();
    }

    private static String number(String cell) {
        return cell.replace(",", "");
    }
}
