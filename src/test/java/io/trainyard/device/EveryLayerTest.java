package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import io.trainyard.device.check.LayerCase;
import io.trainyard.device.check.LayerCases;
import io.trainyard.device.check.NonFiniteCase;
import io.trainyard.device.check.NonFiniteCases;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.LayerKinds;
import io.trainyard.spec.LayerSpec;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Requirements on a new layer that the compiler does not check.
class EveryLayerTest {
    @ParameterizedTest
    @MethodSource("io.trainyard.spec.LayerKinds#all")
    void hasATypeInJobs(Class<?> kind) {
        JsonSubTypes written = Objects.requireNonNull(LayerSpec.class.getAnnotation(JsonSubTypes.class));
        assertThat(Stream.of(written.value()).map(JsonSubTypes.Type::value))
                .as("the types that LayerSpec is written with")
                .contains(kind);
    }

    @ParameterizedTest
    @MethodSource("io.trainyard.spec.LayerKinds#all")
    void hasARowInTheContractsTable(Class<?> kind) {
        assertCovered(kind, "LayerCases", LayerCases.all().stream().map(LayerCase::layers));
    }

    /// These rows train on one sample per step, which batchNorm1d cannot normalise. It shares its kernels with
    /// batchNorm2d.
    static Stream<Class<?>> kindsForOneSample() {
        return LayerKinds.all().stream().filter(kind -> !kind.equals(BatchNorm.BatchNorm1d.class));
    }

    @ParameterizedTest
    @MethodSource("kindsForOneSample")
    void hasARowAmongThoseOfValuesThatAreNotFinite(Class<?> kind) {
        assertCovered(kind, "NonFiniteCases", NonFiniteCases.all().stream().map(NonFiniteCase::layers));
    }

    private static void assertCovered(Class<?> kind, String table, Stream<List<LayerSpec>> networks) {
        assertThat(networks.anyMatch(layers -> LayerKinds.in(layers).anyMatch(kind::equals)))
                .as("%s has a row with a %s", table, kind.getSimpleName())
                .isTrue();
    }
}
