package io.trainyard.kubernetes;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.trainyard.protobuf.ProtobufReader;
import io.trainyard.protobuf.ProtobufWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/// The messages of KEDA's service `externalscaler.ExternalScaler` (`externalscaler.proto`), without the
/// optional `StreamMetricSpec`. These few small messages are encoded by hand, which avoids generated code and a
/// gRPC server in every process; a test compares them with Google's implementation.
final class ScalerProtocol {
    static final String SERVICE = "externalscaler.ExternalScaler";

    /// KEDA's messages are a few hundred bytes.
    static final int MAX_MESSAGE_BYTES = 64 << 10;

    static final MethodDescriptor<ScaledObject, ProtobufWriter> IS_ACTIVE =
            method("IsActive", MethodType.UNARY, ScaledObject::read);

    static final MethodDescriptor<ScaledObject, ProtobufWriter> STREAM_IS_ACTIVE =
            method("StreamIsActive", MethodType.SERVER_STREAMING, ScaledObject::read);

    static final MethodDescriptor<ScaledObject, ProtobufWriter> GET_METRIC_SPEC =
            method("GetMetricSpec", MethodType.UNARY, ScaledObject::read);

    static final MethodDescriptor<MetricsRequest, ProtobufWriter> GET_METRICS =
            method("GetMetrics", MethodType.UNARY, MetricsRequest::read);

    private ScalerProtocol() {}

    /// `ScaledObjectRef`: whom KEDA asks for.
    ///
    /// @param metadata of its trigger
    record ScaledObject(String name, String namespace, Map<String, String> metadata) {
        static ScaledObject read(ByteBuffer bytes) throws IOException {
            String name = "";
            String namespace = "";
            Map<String, String> metadata = new HashMap<>();
            ProtobufReader message = new ProtobufReader(bytes);
            while (message.next()) {
                switch (message.field()) {
                    case 1 -> name = message.text();
                    case 2 -> namespace = message.text();
                    case 3 -> readEntry(message.content(), metadata);
                    default -> message.skip();
                }
            }
            return new ScaledObject(name, namespace, metadata);
        }

        private static void readEntry(ByteBuffer bytes, Map<String, String> metadata) throws IOException {
            String key = "";
            String value = "";
            ProtobufReader entry = new ProtobufReader(bytes);
            while (entry.next()) {
                switch (entry.field()) {
                    case 1 -> key = entry.text();
                    case 2 -> value = entry.text();
                    default -> entry.skip();
                }
            }
            metadata.put(key, value);
        }
    }

    /// `GetMetricsRequest`.
    record MetricsRequest(ScaledObject object, String metric) {
        static MetricsRequest read(ByteBuffer bytes) throws IOException {
            ScaledObject object = new ScaledObject("", "", Map.of());
            String metric = "";
            ProtobufReader message = new ProtobufReader(bytes);
            while (message.next()) {
                switch (message.field()) {
                    case 1 -> object = ScaledObject.read(message.content());
                    case 2 -> metric = message.text();
                    default -> message.skip();
                }
            }
            return new MetricsRequest(object, metric);
        }
    }

    /// `IsActiveResponse`.
    static ProtobufWriter active(boolean result) {
        return new ProtobufWriter().number(1, result ? 1 : 0);
    }

    /// A `GetMetricSpecResponse` with one metric. Older KEDA versions read only the integer target, newer ones
    /// deprecate it, so both are set.
    static ProtobufWriter metricSpec(String metric, long target) {
        return new ProtobufWriter()
                .message(
                        1,
                        new ProtobufWriter().text(1, metric).number(2, target).real(3, (double) target));
    }

    /// `GetMetricsResponse` of one metric.
    static ProtobufWriter metricValue(String metric, long value) {
        return new ProtobufWriter()
                .message(
                        1, new ProtobufWriter().text(1, metric).number(2, value).real(3, (double) value));
    }

    private interface Reading<T> {
        T read(ByteBuffer bytes) throws IOException;
    }

    private static <T> MethodDescriptor<T, ProtobufWriter> method(String name, MethodType type, Reading<T> reading) {
        return MethodDescriptor.<T, ProtobufWriter>newBuilder()
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setType(type)
                .setRequestMarshaller(new Requests<>(reading))
                .setResponseMarshaller(new Responses())
                .build();
    }

    private record Requests<T>(Reading<T> reading) implements Marshaller<T> {
        @Override
        public T parse(InputStream in) {
            try {
                return reading.read(ByteBuffer.wrap(in.readAllBytes()));
            } catch (IOException e) {
                throw Status.INVALID_ARGUMENT
                        .withDescription("the request is not a message of " + SERVICE)
                        .withCause(e)
                        .asRuntimeException();
            }
        }

        @Override
        public InputStream stream(T request) {
            throw new UnsupportedOperationException("this side only receives requests");
        }
    }

    private record Responses() implements Marshaller<ProtobufWriter> {
        @Override
        public InputStream stream(ProtobufWriter response) {
            return new ByteArrayInputStream(response.bytes());
        }

        @Override
        public ProtobufWriter parse(InputStream in) {
            throw new UnsupportedOperationException("this side only sends responses");
        }
    }
}
