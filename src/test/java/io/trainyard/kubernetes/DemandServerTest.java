package io.trainyard.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.metrics.Label;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The scaler over a socket, called as KEDA does, with messages generated from KEDA's contract.
@Slow
class DemandServerTest {
    private DemandServer server;
    private KedaClient keda;

    @BeforeEach
    void start() throws Exception {
        server = new DemandServer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Label.KIND.allowed());
        keda = new KedaClient("localhost", server.port());
    }

    @AfterEach
    void stop() {
        keda.close();
        server.close();
    }

    private void publish(long auto, long cpu, long cuda) {
        server.publish(new Demand(Map.of("auto", auto, "cpu", cpu, "cuda", cuda)));
    }

    @Test
    void demandIsTheSumOfTheTriggersKinds() {
        publish(3, 20, 100);
        for (var expected : Map.of("cuda", 100L, "auto,cuda", 103L, " auto , cpu,reference", 23L, "reference", 0L)
                .entrySet()) {
            assertThat(keda.isActive(expected.getKey())).as(expected.getKey()).isEqualTo(expected.getValue() > 0);
            DynamicMessage value = keda.metric("GetMetrics", "metricValues", expected.getKey());
            assertThat(text(value, "metricName")).isEqualTo("trainyard-jobs-demand");
            assertThat(field(value, "metricValue")).isEqualTo(expected.getValue());
            assertThat(field(value, "metricValueFloat"))
                    .isEqualTo(expected.getValue().doubleValue());
        }
    }

    @Test
    void demandIsOneWorkerPerJob() {
        DynamicMessage spec = keda.metric("GetMetricSpec", "metricSpecs", "auto");
        assertThat(text(spec, "metricName")).isEqualTo("trainyard-jobs-demand");
        assertThat(field(spec, "targetSize")).isEqualTo(1L);
        assertThat(field(spec, "targetSizeFloat")).isEqualTo(1.0);
    }

    @Test
    void theTargetIsTheNumberOfSlots() throws Exception {
        assertThat(keda.target("4")).isEqualTo(4);
        for (String slots : List.of("0", "65", "-1", "two", "1.5")) {
            requireStatus(Status.Code.INVALID_ARGUMENT, () -> keda.target(slots));
        }
    }

    private static Object field(DynamicMessage message, String name) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
        return message.getField(field);
    }

    private static String text(DynamicMessage message, String name) {
        return (String) field(message, name);
    }

    @Test
    void aStreamReceivesTheValueAndItsChanges() throws Exception {
        publish(0, 5, 0);
        try (KedaClient.Stream stream = keda.stream("auto,cuda")) {
            assertThat(stream.next()).isFalse();
            publish(0, 6, 0); // none for this trigger
            publish(1, 6, 0);
            assertThat(stream.next()).isTrue();
            publish(2, 0, 1);
            publish(0, 0, 1);
            publish(0, 0, 0);
            assertThat(stream.next()).isFalse();
            assertThat(stream.waiting()).isZero();
        }
        Patience.await("the stream to be forgotten").until(() -> server.streams() == 0);
    }

    /// 0 would remove all workers.
    @Test
    void answersNothingBeforeTheFirstValue() throws Exception {
        requireStatus(Status.Code.UNAVAILABLE, () -> keda.isActive("auto"));
        requireStatus(Status.Code.UNAVAILABLE, () -> keda.metric("GetMetrics", "metricValues", "auto"));
        try (KedaClient.Stream stream = keda.stream("auto")) {
            Patience.await("the stream to be open").until(() -> server.streams() == 1);
            assertThat(stream.waiting()).isZero();
            publish(1, 0, 0);
            assertThat(stream.next()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "gpu", "auto,", "auto;cuda"})
    void reportsAnUnknownKind(String kinds) throws Exception {
        publish(1, 1, 1);
        for (String call : List.of("IsActive", "GetMetricSpec")) {
            requireStatus(Status.Code.INVALID_ARGUMENT, () -> keda.call(call, keda.object(kinds)));
        }
        requireStatus(Status.Code.INVALID_ARGUMENT, () -> keda.metric("GetMetrics", "metricValues", kinds));
        try (KedaClient.Stream stream = keda.stream(kinds)) {
            assertThat(stream.failure())
                    .isEqualTo(
                            "kinds in the trigger's metadata is \"%s\"; allowed are [auto, cpu, cuda, reference], several with commas"
                                    .formatted(kinds));
        }
    }

    @Test
    void otherMetricsAreNotFound() {
        publish(1, 1, 1);
        requireStatus(Status.Code.NOT_FOUND, () -> keda.metric("GetMetrics", "metricValues", "auto", "queue"));
    }

    /// An optional method of KEDA, which continues after this answer.
    @Test
    void otherCallsAreUnimplemented() {
        requireStatus(Status.Code.UNIMPLEMENTED, () -> keda.call("StreamMetricSpec", keda.object("auto")));
    }

    private static void requireStatus(Status.Code code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode())
                                .as(e.toString())
                                .isEqualTo(code));
    }
}
