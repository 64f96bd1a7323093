package io.trainyard.device.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.SeededProperty;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceProperties;
import io.trainyard.device.RandomNetwork;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.LayerKinds;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsCollector;
import net.jqwik.api.statistics.StatisticsReport;

class ReferencePropertiesTest extends DeviceProperties {
    @Override
    public Device device() {
        return new ReferenceDeviceTest().device();
    }

    /// A new layer needs a line in [RandomNetwork]. Networks are only generated here, so many tries are cheap.
    @Property(seed = "20251101", tries = 300)
    @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
    void noLayerIsLeftOut(@ForAll("networks") RandomNetwork network) {
        StatisticsCollector layers = Statistics.label("layers");
        network.layers().forEach(layer -> layers.collect(layer.getClass()));
        layers.coverage(coverage -> LayerKinds.all()
                .forEach(kind -> coverage.check(kind).count(count -> {
                    assertThat(count)
                            .as("random networks with a %s", kind.getSimpleName())
                            .isPositive();
                })));
    }

    @SeededProperty
    void gradientsAreTheLossesSlopes(@ForAll("networks") RandomNetwork network) {
        Slopes.check(device(), network.workload(CheckWorkload.PLAIN));
    }
}
