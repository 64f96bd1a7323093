package io.trainyard.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/// Makes metrics in a registry, as [Metric] says they are.
///
/// @param registry what Prometheus scrapes
public record Meters(MeterRegistry registry) {
    /// In seconds: from less than a heartbeat to what a person would have given up on.
    private static final double[] SECONDS = {0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300};

    /// @param values of its labels, in their order
    public void gauge(Metric metric, Supplier<Number> value, String... values) {
        Gauge.builder(require(metric, Metric.Type.GAUGE), value)
                .description(metric.meaning())
                .tags(tags(metric, values))
                .register(registry);
    }

    /// A counter that exists from the start with 0, because Prometheus computes increases only for existing
    /// series.
    ///
    /// @param values of its labels, in order
    public Counter counter(Metric metric, String... values) {
        return Counter.builder(require(metric, Metric.Type.COUNTER))
                .description(metric.meaning())
                .tags(tags(metric, values))
                .register(registry);
    }

    /// A counter whose value is kept elsewhere.
    ///
    /// @param counts must be strongly reachable elsewhere: the registry has a weak reference
    /// @param value must not decrease
    public <T> void counter(Metric metric, T counts, ToDoubleFunction<T> value) {
        FunctionCounter.builder(require(metric, Metric.Type.COUNTER), counts, value)
                .description(metric.meaning())
                .tags(tags(metric))
                .register(registry);
    }

    /// Of times in seconds.
    public DistributionSummary histogram(Metric metric) {
        return DistributionSummary.builder(require(metric, Metric.Type.HISTOGRAM))
                .description(metric.meaning())
                .tags(tags(metric))
                .serviceLevelObjectives(SECONDS)
                .register(registry);
    }

    private static String require(Metric metric, Metric.Type type) {
        if (metric.type() != type) {
            throw new IllegalArgumentException("%s is a %s, and not a %s"
                    .formatted(metric.word(), metric.type().word(), type.word()));
        }
        return metric.word();
    }

    private static List<Tag> tags(Metric metric, String... values) {
        if (values.length != metric.labels().size()) {
            throw new IllegalArgumentException("%s has the labels %s; given are %d values"
                    .formatted(metric.word(), metric.labels(), values.length));
        }
        List<Tag> tags = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            Label label = metric.labels().get(i);
            if (!label.allows(values[i])) {
                throw new IllegalArgumentException("the label %s of %s is \"%s\"; allowed are %s"
                        .formatted(label.word(), metric.word(), values[i], label.allowed()));
            }
            tags.add(Tag.of(label.word(), values[i]));
        }
        return tags;
    }

    /// What Micrometer knows of this process at little cost: its memory, its processor time, since when it
    /// is.
    public void process() {
        new JvmMemoryMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }
}
