package io.trainyard.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class TracingSwitchTest {
    @Test
    void isOffUnlessAnExporterIsNamed() {
        assertThat(Tracing.isOn(Map.of())).isFalse();
        assertThat(Tracing.isOn(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318")))
                .isFalse();
        assertThat(Tracing.isOn(Map.of("OTEL_TRACES_EXPORTER", "none"))).isFalse();
        assertThat(Tracing.isOn(Map.of("OTEL_TRACES_EXPORTER", "otlp", "OTEL_SDK_DISABLED", "true")))
                .isFalse();
        assertThat(Tracing.isOn(Map.of("OTEL_TRACES_EXPORTER", "otlp"))).isTrue();
    }

    /// The command belongs to another system's trace, and the events continue it.
    @Test
    void passesTraceParentsOnWithoutTracing() {
        String cause = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

        assertThat(Tracing.OFF.claims("a", "w", cause).begun(1).traceParent()).isEqualTo(cause);
        assertThat(Tracing.OFF.claims("a", "w", null).begun(1).traceParent()).isNull();
    }
}
