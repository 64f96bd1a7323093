package io.trainyard.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.Patience;
import io.trainyard.Slow;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests the alerts with Prometheus' promtool.
@Slow
class AlertsTest {
    private static final Path FOLDER = Path.of("prometheus");
    private static final Pattern OURS = Pattern.compile("trainyard_\\w+");

    @ParameterizedTest
    @ValueSource(strings = {"check rules alerts.yml", "test rules alerts-test.yml", "check config prometheus.yml"})
    void promtoolAcceptsTheRules(String arguments) throws Exception {
        Process promtool = new ProcessBuilder((Prometheus.program("promtool") + " " + arguments).split(" "))
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(promtool.waitFor(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
        assertThat(promtool.exitValue()).as(said).isZero();
        assertThat(said).contains("SUCCESS");
    }

    /// promtool does not report a missing test.
    @Test
    void eachAlertIsSeenFiringAndNotFiring() throws Exception {
        Map<String, Set<Boolean>> seen = new HashMap<>();
        for (JsonNode test : YamlFiles.read(FOLDER.resolve("alerts-test.yml")).path("tests")) {
            for (JsonNode one : test.path("alert_rule_test")) {
                seen.computeIfAbsent(one.path("alertname").asText(), _ -> new TreeSet<>())
                        .add(!one.path("exp_alerts").isEmpty());
            }
        }
        assertThat(seen.keySet())
                .isEqualTo(new TreeSet<>(
                        YamlFiles.read(FOLDER.resolve("alerts.yml")).findValuesAsText("alert")));
        assertThat(seen.values()).allSatisfy(both -> assertThat(both).containsExactly(false, true));
    }

    @Test
    void alertsUseExistingMetrics() throws Exception {
        Set<String> known = Arrays.stream(Metric.values()).map(Metric::word).collect(Collectors.toSet());
        for (String file : new String[] {"alerts.yml", "alerts-test.yml"}) {
            assertThat(OURS.matcher(Files.readString(FOLDER.resolve(file))).results())
                    .extracting(name -> name.group())
                    .isNotEmpty()
                    .isSubsetOf(known);
        }
    }
}
