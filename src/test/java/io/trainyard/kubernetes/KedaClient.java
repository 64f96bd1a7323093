package io.trainyard.kubernetes;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import io.trainyard.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Calls a scaler as KEDA does, with the protocol from `golden/keda/externalscaler.desc`.
public final class KedaClient implements AutoCloseable {
    private static final Path SCHEMA_VERSION = Path.of("src/test/resources/golden/keda/externalscaler.desc");

    private final FileDescriptor schemaVersion;
    private final ManagedChannel channel;

    public KedaClient(String host, int port) throws IOException, DescriptorValidationException {
        schemaVersion = FileDescriptor.buildFrom(
                FileDescriptorSet.parseFrom(Files.readAllBytes(SCHEMA_VERSION)).getFile(0), new FileDescriptor[0]);
        channel = NettyChannelBuilder.forAddress(host, port).usePlaintext().build();
    }

    private Descriptor type(String name) {
        return schemaVersion.findMessageTypeByName(name);
    }

    /// A scaled object with one trigger.
    DynamicMessage object(String kinds) {
        return object(kinds, "");
    }

    /// @param slots of a worker; empty to leave it out of the trigger
    DynamicMessage object(String kinds, String slots) {
        Descriptor type = type("ScaledObjectRef");
        Descriptor entry = type.findFieldByName("scalerMetadata").getMessageType();
        DynamicMessage.Builder object = DynamicMessage.newBuilder(type)
                .setField(type.findFieldByName("name"), "trainyard-worker")
                .setField(type.findFieldByName("namespace"), "trainyard");
        List<List<String>> metadata = List.of(
                List.of("scalerAddress", "trainyard-dashboard:9500"), List.of("kinds", kinds), List.of("slots", slots));
        for (List<String> pair : metadata.subList(0, slots.isEmpty() ? 2 : 3)) {
            object.addRepeatedField(
                    type.findFieldByName("scalerMetadata"),
                    DynamicMessage.newBuilder(entry)
                            .setField(entry.findFieldByName("key"), pair.get(0))
                            .setField(entry.findFieldByName("value"), pair.get(1))
                            .build());
        }
        return object.build();
    }

    public boolean isActive(String kinds) {
        return isActive(call("IsActive", object(kinds)));
    }

    private static boolean isActive(DynamicMessage response) {
        return (boolean) response.getField(response.getDescriptorForType().findFieldByName("result"));
    }

    /// The only metric of an answer.
    DynamicMessage metric(String method, String field, String kinds) {
        return metric(method, field, kinds, "trainyard-jobs-demand");
    }

    /// The number of jobs per worker with this number of slots.
    long target(String slots) {
        DynamicMessage spec = only(call("GetMetricSpec", object("auto", slots)), "metricSpecs");
        return (long) spec.getField(spec.getDescriptorForType().findFieldByName("targetSize"));
    }

    DynamicMessage metric(String method, String field, String kinds, String metric) {
        DynamicMessage request = object(kinds);
        if (method.equals("GetMetrics")) {
            Descriptor type = type("GetMetricsRequest");
            request = DynamicMessage.newBuilder(type)
                    .setField(type.findFieldByName("scaledObjectRef"), request)
                    .setField(type.findFieldByName("metricName"), metric)
                    .build();
        }
        return only(call(method, request), field);
    }

    private static DynamicMessage only(DynamicMessage response, String field) {
        List<?> metrics =
                (List<?>) response.getField(response.getDescriptorForType().findFieldByName(field));
        if (metrics.size() != 1 || !(metrics.getFirst() instanceof DynamicMessage only)) {
            throw new AssertionError(metrics.toString());
        }
        return only;
    }

    /// The number of jobs that want a worker.
    public long demand(String kinds) {
        DynamicMessage value = metric("GetMetrics", "metricValues", kinds);
        return (long) value.getField(value.getDescriptorForType().findFieldByName("metricValue"));
    }

    DynamicMessage call(String method, DynamicMessage request) {
        return ClientCalls.blockingUnaryCall(
                channel,
                method(method),
                CallOptions.DEFAULT.withDeadlineAfter(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS),
                request);
    }

    private io.grpc.MethodDescriptor<DynamicMessage, DynamicMessage> method(String name) {
        var service = schemaVersion.findServiceByName("ExternalScaler");
        MethodDescriptor method = service.findMethodByName(name);
        Descriptor in = method == null ? type("ScaledObjectRef") : method.getInputType();
        Descriptor out = method == null ? type("GetMetricSpecResponse") : method.getOutputType();
        boolean streams = method != null && method.isServerStreaming();
        return io.grpc.MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
                .setFullMethodName(service.getFullName() + "/" + name)
                .setType(streams ? MethodType.SERVER_STREAMING : MethodType.UNARY)
                .setRequestMarshaller(new Messages(in))
                .setResponseMarshaller(new Messages(out))
                .build();
    }

    private record Messages(Descriptor type) implements Marshaller<DynamicMessage> {
        @Override
        public InputStream stream(DynamicMessage message) {
            return message.toByteString().newInput();
        }

        /// Properties outside the contract fail the test.
        @Override
        public DynamicMessage parse(InputStream in) {
            try {
                DynamicMessage message = DynamicMessage.parseFrom(type, in);
                if (!message.getUnknownFields().isEmpty()) {
                    throw new AssertionError("fields that %s has not: %s".formatted(type, message));
                }
                return message;
            } catch (InvalidProtocolBufferException e) {
                throw Status.INTERNAL.withCause(e).asRuntimeException();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public Stream stream(String kinds) {
        Stream stream = new Stream();
        ClientCall<DynamicMessage, DynamicMessage> call =
                channel.newCall(method("StreamIsActive"), CallOptions.DEFAULT);
        ClientCalls.asyncServerStreamingCall(call, object(kinds), stream);
        return stream;
    }

    /// The messages on the stream, until it is closed.
    public static final class Stream implements ClientResponseObserver<DynamicMessage, DynamicMessage>, AutoCloseable {
        private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
        private final BlockingQueue<ClientCallStreamObserver<DynamicMessage>> calls = new LinkedBlockingQueue<>();

        @Override
        public void beforeStart(ClientCallStreamObserver<DynamicMessage> call) {
            calls.add(call);
        }

        @Override
        public void onNext(DynamicMessage response) {
            received.add(isActive(response));
        }

        @Override
        public void onError(Throwable failure) {
            received.add(failure);
        }

        @Override
        public void onCompleted() {
            received.add("the scaler has ended the stream");
        }

        /// Waits for the next message.
        public boolean next() throws InterruptedException {
            Object next = received.poll(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            if (next instanceof Boolean active) {
                return active;
            }
            throw new AssertionError("nothing was pushed, but " + next);
        }

        int waiting() {
            return received.size();
        }

        /// Waits for the end of the stream.
        String failure() throws InterruptedException {
            Object next = received.poll(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            if (next instanceof StatusRuntimeException failure) {
                return String.valueOf(failure.getStatus().getDescription());
            }
            throw new AssertionError("the stream goes on with " + next);
        }

        @Override
        public void close() {
            calls.forEach(call -> call.cancel("no longer wanted", null));
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
