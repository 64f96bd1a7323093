package io.trainyard.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.Page;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Checks docs/reference/metrics.md against the metrics and the alerts.
class MetricsPageTest {
    private static final Page PAGE = Page.read("docs/reference/metrics.md");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyMetricHasARow(boolean workers) {
        Page section = PAGE.section(workers ? "## Worker metrics" : "## Fleet metrics");
        assertThat(section.table())
                .containsExactlyElementsOf(Arrays.stream(Metric.values())
                        .filter(metric -> metric.isWorkers() == workers)
                        .map(metric -> List.of(
                                "`%s`".formatted(metric.word()),
                                metric.type().word(),
                                metric.unit(),
                                String.join(
                                        ", ",
                                        metric.labels().stream()
                                                .map(label -> "`%s`".formatted(label.word()))
                                                .toList()),
                                metric.meaning()))
                        .toList());
    }

    @Test
    void everyLabelHasItsValues() {
        Map<String, List<String>> published = new HashMap<>();
        PAGE.section("## Labels")
                .table()
                .forEach(row -> published.put(Page.code(row, 0).getFirst(), Page.code(row, 1)));
        assertThat(published).hasSize(Label.values().length);
        assertThat(Label.values())
                .allSatisfy(label -> assertThat(published).containsEntry(label.word(), label.allowed()));
    }

    /// Each alert links to its section.
    @Test
    void thePageOnOperationsHasEveryAlert() throws Exception {
        Page operations = Page.read("docs/how-to/troubleshoot.md");
        assertThat(operations.tableOf("alert").table().stream().map(List::getFirst))
                .containsExactlyElementsOf(
                        YamlFiles.read(Path.of("prometheus/alerts.yml")).findValuesAsText("alert").stream()
                                .map(name -> "[%s](../reference/metrics.md#%s)"
                                        .formatted(name, name.toLowerCase(Locale.ROOT)))
                                .toList());
    }

    @Test
    void everyAlertSaysWhatToDo() throws Exception {
        List<String> alerts = new ArrayList<>();
        for (JsonNode group : YamlFiles.read(Path.of("prometheus/alerts.yml")).path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                String name = rule.path("alert").asText();
                alerts.add(name);
                JsonNode annotations = rule.path("annotations");
                assertThat(annotations.path("summary").asText()).as(name).isNotBlank();
                assertThat(annotations.path("description").asText()).as(name).isNotBlank();
                assertThat(annotations.path("runbook").asText())
                        .isEqualTo("docs/reference/metrics.md#" + name.toLowerCase(Locale.ROOT));
                assertThat(rule.path("labels").path("severity").asText()).isIn("warning", "critical");
                assertThat(PAGE.section("## Alerts").section("### " + name).text())
                        .contains("*Do:*");
            }
        }
        assertThat(PAGE.section("## Alerts").sections(3).keySet()).containsExactlyElementsOf(alerts);
    }
}
