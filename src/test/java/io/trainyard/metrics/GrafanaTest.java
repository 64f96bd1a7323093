package io.trainyard.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.metrics.Grafana.Board;
import io.trainyard.metrics.Grafana.Panel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The Grafana dashboards follow the rules of dashboard-linter, and their queries match their data sources.
/// `GrafanaIT` runs the queries.
class GrafanaTest {
    /// A metric with its matchers and range.
    private static final Pattern SELECTOR = Pattern.compile("(\\w+)\\{((?:[^{}]|\\$\\{\\w+})*)}(\\[[^]]+])?");

    private static final Pattern OURS = Pattern.compile("trainyard_\\w+");

    static Stream<Board> boards() {
        return Grafana.boards();
    }

    static Stream<Panel> panels() {
        return boards().flatMap(board -> board.panels().stream());
    }

    static Stream<Panel> promQlPanels() {
        return panels().filter(panel -> !panel.board().isSql());
    }

    @Test
    void uidsAreFixedAndTheFoldersOfPagesAreProvided() throws Exception {
        assertThat(boards().map(board -> board.json().path("uid").asText()))
                .containsExactly("trainyard-fleet", "trainyard-job", "trainyard-worker", "trainyard-kafka");
        JsonNode provider = YamlFiles.read(Path.of("grafana/provisioning/dashboards/trainyard.yaml"))
                .path("providers")
                .path(0);
        assertThat(provider.path("allowUiUpdates").asBoolean(true)).isFalse();
        assertThat(YamlFiles.read(Path.of("compose.yaml"))
                        .path("services")
                        .path("grafana")
                        .path("volumes"))
                .extracting(JsonNode::asText)
                .contains("./grafana/dashboards:%s:ro"
                        .formatted(provider.path("options").path("path").asText()));
    }

    @ParameterizedTest
    @MethodSource("promQlPanels")
    void everyMetricIsOfAJobAndAnInstance(Panel panel) {
        for (String question : panel.questions()) {
            List<MatchResult> selectors = SELECTOR.matcher(question).results().toList();
            assertThat(selectors).as(question).isNotEmpty();
            for (MatchResult selector : selectors) {
                // NVIDIA's exporter has another `job` label than the workers, and the dashboard filters by
                // theirs.
                boolean dcgm = selector.group(1).startsWith("DCGM_");
                assertThat(selector.group(2))
                        .contains(dcgm ? "job=~\".*dcgm.*\"" : "job=~\"$job\"")
                        .contains(dcgm ? "instance=~\".+\"" : "instance=~\"$instance\"");
            }
        }
    }

    /// A rule of the linter, except for counts within an hour, which must not depend on the zoom.
    @ParameterizedTest
    @MethodSource("promQlPanels")
    void countersAreRatesOverTheIntervalOfTheScrapes(Panel panel) {
        for (String question : panel.questions()) {
            for (MatchResult selector : SELECTOR.matcher(question).results().toList()) {
                boolean counter = selector.group(1).matches(".*_(total|bucket|count|sum)");
                String before = question.substring(0, selector.start());
                if (before.endsWith("increase(")) {
                    assertThat(selector.group(3)).isEqualTo("[1h]");
                    assertThat(panel.json().path("description").asText()).contains("within an hour");
                } else if (counter || selector.group(3) != null) {
                    assertThat(before).as(question).endsWith("rate(");
                    assertThat(selector.group(3)).isEqualTo("[$__rate_interval]");
                }
            }
        }
    }

    @Test
    void panelsUseAllMetricsAndNoUnknownOnes() {
        Set<String> asked = new HashSet<>();
        promQlPanels()
                .flatMap(panel -> panel.questions().stream())
                .forEach(question -> OURS.matcher(question)
                        .results()
                        .forEach(name -> asked.add(name.group().replaceFirst("_bucket$", ""))));
        assertThat(asked)
                .isEqualTo(Arrays.stream(Metric.values()).map(Metric::word).collect(Collectors.toSet()));
    }

    @Test
    void linksLeadToExistingPages() {
        List<String> links = new ArrayList<>();
        boards().forEach(board -> board.json().findValues("url").forEach(url -> links.add(url.asText())));
        Set<String> uids =
                boards().map(board -> board.json().path("uid").asText()).collect(Collectors.toSet());
        assertThat(links)
                .isNotEmpty()
                .allSatisfy(link -> assertThat(uids).contains(link.replaceFirst("^/d/([^?]+).*", "$1")));
    }
}
