package io.trainyard.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// A scrape as Prometheus reads it.
///
/// @param lines in its text format
public record Scrape(List<String> lines) {
    public static PrometheusMeterRegistry registry() {
        return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    }

    public static Scrape of(PrometheusMeterRegistry registry) {
        return new Scrape(registry.scrape().lines().toList());
    }

    /// @param series a metric's name with its labels, as written
    public double value(String series) {
        List<Double> found = lines.stream()
                .filter(line -> line.startsWith(series + " "))
                .map(line -> Double.valueOf(line.substring(series.length() + 1)))
                .toList();
        assertThat(found).as("%s in %s", series, String.join("\n", lines)).hasSize(1);
        return found.getFirst();
    }

    /// Requires all documented metrics with their types and help texts. Ignores the maximum values that
    /// Micrometer adds to its histograms.
    public void requireAll(boolean workers) {
        assertThat(about("TYPE"))
                .isEqualTo(expected(workers, metric -> metric.type().word()));
        assertThat(about("HELP")).isEqualTo(expected(workers, Metric::meaning));
    }

    private static Map<String, String> expected(boolean workers, Function<Metric, String> what) {
        return Arrays.stream(Metric.values())
                .filter(metric -> metric.isWorkers() == workers)
                .collect(Collectors.toMap(Metric::word, what));
    }

    private Map<String, String> about(String what) {
        String prefix = "# " + what + " ";
        return lines.stream()
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()).strip().split(" ", 2))
                .filter(words -> !words[0].endsWith("_max"))
                .collect(Collectors.toMap(words -> words[0], words -> words[1]));
    }
}
