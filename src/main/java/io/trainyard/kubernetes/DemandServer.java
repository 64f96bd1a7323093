package io.trainyard.kubernetes;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.trainyard.kubernetes.ScalerProtocol.MetricsRequest;
import io.trainyard.kubernetes.ScalerProtocol.ScaledObject;
import io.trainyard.protobuf.ProtobufWriter;
import io.trainyard.spec.Printable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Publishes the required number of workers to KEDA, as an external scaler of type `external-push`: open
/// streams are notified at once when jobs appear and when there are none left.
///
/// Before the first [#publish] the answer is an error, because 0 would remove all workers.
public final class DemandServer implements AutoCloseable {
    /// The only metric: jobs that need a worker, divided by the slots of a worker.
    static final String METRIC = "trainyard-jobs-demand";

    /// What a trigger's metadata call the kinds of device that its workers can have.
    static final String KINDS = "kinds";

    /// How many jobs one of its workers has at once; left out: one.
    static final String SLOTS = "slots";

    private static final int MAX_SLOTS = 64;

    /// Of KEDA's there is one for each trigger.
    private static final int MAX_STREAMS = 1_000;

    private static final int MAX_CALLS_OF_A_CONNECTION = 1_000;
    private static final int MAX_TEXT = 100;

    /// A client that does not answer a ping after this time is disconnected.
    private static final int SILENT_SECONDS = 60;

    private static final int ANSWERS_WITHIN_SECONDS = 20;

    /// A caller that asks whether this is still there may do so no more often.
    private static final int MAY_ASK_AFTER_SECONDS = 10;

    private static final int LAST_WORDS_SECONDS = 2;

    private final Set<String> kinds;
    private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
    private final Server server;
    private volatile @Nullable Demand demand;

    /// @param kinds of device that jobs can ask for
    /// @throws IOException if nothing can listen there
    public DemandServer(InetSocketAddress address, Collection<String> kinds) throws IOException {
        this.kinds = new TreeSet<>(kinds);
        server = NettyServerBuilder.forAddress(address)
                .directExecutor() // no call waits for anything
                .addService(service())
                .maxInboundMessageSize(ScalerProtocol.MAX_MESSAGE_BYTES)
                .maxConcurrentCallsPerConnection(MAX_CALLS_OF_A_CONNECTION)
                .keepAliveTime(SILENT_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(ANSWERS_WITHIN_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveTime(MAY_ASK_AFTER_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .build()
                .start();
    }

    private ServerServiceDefinition service() {
        return ServerServiceDefinition.builder(ScalerProtocol.SERVICE)
                .addMethod(ScalerProtocol.IS_ACTIVE, ServerCalls.asyncUnaryCall(answer(this::isActive)))
                .addMethod(ScalerProtocol.STREAM_IS_ACTIVE, ServerCalls.asyncServerStreamingCall(this::watch))
                .addMethod(ScalerProtocol.GET_METRIC_SPEC, ServerCalls.asyncUnaryCall(answer(this::metricSpec)))
                .addMethod(ScalerProtocol.GET_METRICS, ServerCalls.asyncUnaryCall(answer(this::metrics)))
                .build();
    }

    private static <T> ServerCalls.UnaryMethod<T, ProtobufWriter> answer(Function<T, ProtobufWriter> call) {
        return (request, caller) -> {
            ProtobufWriter answer;
            try {
                answer = call.apply(request);
            } catch (StatusRuntimeException e) {
                caller.onError(e);
                return;
            }
            caller.onNext(answer);
            caller.onCompleted();
        };
    }

    public int port() {
        return server.getPort();
    }

    /// Sets the number of jobs that need a worker.
    public void publish(Demand now) {
        demand = now;
        watchers.forEach(Watcher::publish);
    }

    private ProtobufWriter isActive(ScaledObject object) {
        return ScalerProtocol.active(known().of(wanted(object)) > 0);
    }

    private ProtobufWriter metricSpec(ScaledObject object) {
        Set<String> _ = wanted(object);
        String slots = object.metadata().getOrDefault(SLOTS, "1");
        if (!slots.matches("[1-9][0-9]?") || Integer.parseInt(slots) > MAX_SLOTS) {
            throw Status.INVALID_ARGUMENT
                    .withDescription(
                            "%s in the trigger's metadata is \"%s\"; allowed is 1 to %d, as the workers' --slots"
                                    .formatted(SLOTS, Printable.text(slots, MAX_TEXT), MAX_SLOTS))
                    .asRuntimeException();
        }
        return ScalerProtocol.metricSpec(METRIC, Integer.parseInt(slots));
    }

    private ProtobufWriter metrics(MetricsRequest request) {
        if (!request.metric().equals(METRIC)) {
            throw Status.NOT_FOUND
                    .withDescription("the metric is \"%s\"; there is %s"
                            .formatted(Printable.text(request.metric(), MAX_TEXT), METRIC))
                    .asRuntimeException();
        }
        return ScalerProtocol.metricValue(METRIC, known().of(wanted(request.object())));
    }

    private Demand known() {
        Demand now = demand;
        if (now == null) {
            throw Status.UNAVAILABLE
                    .withDescription("the dashboard has not read all topics yet; retry in a moment")
                    .asRuntimeException();
        }
        return now;
    }

    private Set<String> wanted(ScaledObject object) {
        String said = object.metadata().getOrDefault(KINDS, "");
        Set<String> wanted = new LinkedHashSet<>(
                Arrays.stream(said.split(",", -1)).map(String::strip).toList());
        if (!kinds.containsAll(wanted)) {
            throw Status.INVALID_ARGUMENT
                    .withDescription("%s in the trigger's metadata is \"%s\"; allowed are %s, several with commas"
                            .formatted(KINDS, Printable.text(said, MAX_TEXT), kinds))
                    .asRuntimeException();
        }
        return wanted;
    }

    private void watch(ScaledObject object, StreamObserver<ProtobufWriter> caller) {
        if (watchers.size() >= MAX_STREAMS) {
            caller.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("there are %d streams already".formatted(MAX_STREAMS))
                    .asRuntimeException());
            return;
        }
        try {
            Watcher watcher = new Watcher(wanted(object), (ServerCallStreamObserver<ProtobufWriter>) caller);
            watchers.add(watcher);
            watcher.listen();
        } catch (StatusRuntimeException e) {
            caller.onError(e);
        }
    }

    /// An open stream. It receives changes when it can; a slow one skips intermediate values.
    private final class Watcher {
        private final Set<String> wanted;
        private final ServerCallStreamObserver<ProtobufWriter> caller;
        private @Nullable Boolean published;

        Watcher(Set<String> wanted, ServerCallStreamObserver<ProtobufWriter> caller) {
            this.wanted = wanted;
            this.caller = caller;
        }

        void listen() {
            caller.setOnCancelHandler(() -> watchers.remove(this));
            caller.setOnReadyHandler(this::publish);
            publish();
        }

        synchronized void publish() {
            Demand now = demand; // the newest value, on any thread
            if (now == null || !caller.isReady()) {
                return;
            }
            boolean active = now.of(wanted) > 0;
            if (published == null || published != active) {
                caller.onNext(ScalerProtocol.active(active));
                published = active;
            }
        }
    }

    int streams() {
        return watchers.size();
    }

    @Override
    public void close() {
        server.shutdownNow();
        try {
            boolean _ = server.awaitTermination(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
