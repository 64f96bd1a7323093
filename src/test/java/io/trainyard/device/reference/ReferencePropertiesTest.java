package io.trainyard.device.reference;

import io.trainyard.SeededProperty;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceProperties;
import io.trainyard.device.RandomNetwork;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.LayerSpec;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsCollector;
import net.jqwik.api.statistics.StatisticsReport;

class ReferencePropertiesTest extends DeviceProperties {
    @Override
    public Device device() {
        return new ReferenceDeviceTest().device();
    }

    /// A new layer needs a line in [RandomNetwork].
    @SeededProperty
    @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
    void noLayerIsLeftOut(@ForAll("networks") RandomNetwork network) {
        StatisticsCollector layers = Statistics.label("layers");
        network.layers().forEach(layer -> layers.collect(layer.getClass()));
        layers.coverage(coverage ->
                kinds(LayerSpec.class).forEach(kind -> coverage.check(kind).count(count -> count > 0)));
    }

    private static Stream<Class<?>> kinds(Class<?> type) {
        return type.isSealed() ? Stream.of(type.getPermittedSubclasses()).flatMap(sub -> kinds(sub)) : Stream.of(type);
    }

    @SeededProperty
    void gradientsAreTheLossesSlopes(@ForAll("networks") RandomNetwork network) {
        Slopes.check(device(), network.workload(CheckWorkload.PLAIN));
    }
}
