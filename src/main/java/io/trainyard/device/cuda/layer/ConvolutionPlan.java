package io.trainyard.device.cuda.layer;

import static jcuda.jcudnn.cudnnBackendAttributeName.*;

import io.trainyard.device.DeviceException;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.layer.Convolution.Direction;
import io.trainyard.device.cuda.layer.GraphDescriptors.Descriptor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnBackendAttributeType;
import jcuda.jcudnn.cudnnBackendDescriptorType;
import jcuda.jcudnn.cudnnBackendNumericalNote;
import jcuda.jcudnn.cudnnMathType;

/// cuDNN's executable plan for a convolution, by one engine.
final class ConvolutionPlan implements AutoCloseable {
    /// The limit for a plan's workspace.
    private static final long MAX_WORKSPACE_BYTES = 512L << 20;

    /// cudnnBackendHeurMode_t; JCudnn lacks the first.
    private static final int[] HEURISTICS = {3, 2}; // A, FALLBACK

    /// Conversion of inputs is to float16, which overflows.
    private static final Set<Integer> NEVER = Set.of(
            cudnnBackendNumericalNote.CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC,
            cudnnBackendNumericalNote.CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);

    private static final Set<Integer> NOT_IN_FP32 = Set.of(
            cudnnBackendNumericalNote.CUDNN_NUMERICAL_NOTE_TENSOR_CORE,
            cudnnBackendNumericalNote.CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);

    /// Winograd and FFT spread non-finite values to other samples of the batch, as measured on an H100. In the
    /// forward direction no sample's result may depend on another sample. Weight gradients are sums over the batch
    /// anyway.
    private static final Set<Integer> NOT_FORWARD = Set.of(
            cudnnBackendNumericalNote.CUDNN_NUMERICAL_NOTE_FFT,
            cudnnBackendNumericalNote.CUDNN_NUMERICAL_NOTE_WINOGRAD,
            6, // Winograd with tiles of 4x4, 6x6 and 13x13, which JCudnn lacks
            7,
            8);

    private static final int MAX_NOTES = 32;

    /// More than cuDNN has; it does not report their number in advance.
    private static final int MAX_KNOBS = 64;

    private final Engine engine;
    private final GraphDescriptors descriptors;
    private final Descriptor plan;

    /// An engine of cuDNN and its settings.
    ///
    /// @param number cuDNN's, for one type of operation
    /// @param knobs values by type
    record Engine(long number, Map<Integer, Long> knobs) {
        /// The form that is stored with a job.
        @Override
        public String toString() {
            return knobs.entrySet().stream()
                    .map(knob -> knob.getKey() + "=" + knob.getValue())
                    .collect(Collectors.joining(",", "engine " + number + " knobs ", ""));
        }
    }

    private ConvolutionPlan(Engine engine, GraphDescriptors descriptors, Descriptor plan) {
        this.engine = engine;
        this.descriptors = descriptors;
        this.plan = plan;
    }

    /// The engines with deterministic and sufficiently precise results, in the order of cuDNN's heuristics. Some
    /// may not have a plan.
    ///
    /// @param device see [GraphDescriptors]
    static List<Engine> offered(BiConsumer<Descriptor, Integer> device, Convolution convolution) {
        Set<Integer> forbidden = new HashSet<>(NEVER);
        if (convolution.numbers().dnnMath() == cudnnMathType.CUDNN_FMA_MATH) {
            forbidden.addAll(NOT_IN_FP32);
        }
        if (convolution.direction() == Direction.FORWARD) {
            forbidden.addAll(NOT_FORWARD);
        }
        List<Engine> engines = new ArrayList<>();
        try (GraphDescriptors scope = new GraphDescriptors(device)) {
            Descriptor graph = convolution.describe(scope);
            for (int mode : HEURISTICS) {
                Descriptor heuristic = scope.create(cudnnBackendDescriptorType.CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)
                        .descriptors(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
                        .choice(CUDNN_ATTR_ENGINEHEUR_MODE, cudnnBackendAttributeType.CUDNN_TYPE_HEUR_MODE, mode);
                if (heuristic.tryToFinish() == 0) { // otherwise it has none for this operation
                    for (Descriptor configuration : scope.read(
                            heuristic,
                            CUDNN_ATTR_ENGINEHEUR_RESULTS,
                            cudnnBackendDescriptorType.CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
                            heuristic.count(CUDNN_ATTR_ENGINEHEUR_RESULTS))) {
                        read(scope, configuration, forbidden).ifPresent(engines::add);
                    }
                }
            }
        }
        return engines.stream().distinct().toList();
    }

    private static Optional<Engine> read(GraphDescriptors scope, Descriptor configuration, Set<Integer> forbidden) {
        Descriptor engine = scope.read(
                        configuration,
                        CUDNN_ATTR_ENGINECFG_ENGINE,
                        cudnnBackendDescriptorType.CUDNN_BACKEND_ENGINE_DESCRIPTOR,
                        1)[0];
        for (int note : engine.read(
                CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, cudnnBackendAttributeType.CUDNN_TYPE_NUMERICAL_NOTE, MAX_NOTES)) {
            if (forbidden.contains(note)) {
                return Optional.empty();
            }
        }
        Map<Integer, Long> knobs = new TreeMap<>();
        for (Descriptor knob : scope.read(
                configuration,
                CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                cudnnBackendDescriptorType.CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR,
                MAX_KNOBS)) {
            int type =
                    knob.read(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, cudnnBackendAttributeType.CUDNN_TYPE_KNOB_TYPE, 1)[0];
            knobs.put(type, knob.read(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
        }
        return Optional.of(new Engine(engine.read(CUDNN_ATTR_ENGINE_GLOBAL_INDEX), knobs));
    }

    /// The first plans of these engines with an acceptable workspace. The caller closes them.
    ///
    /// @param name of the device
    /// @throws DeviceException if there is none; the message has the convolution
    static List<ConvolutionPlan> of(
            List<Engine> engines,
            int most,
            BiConsumer<Descriptor, Integer> device,
            Convolution convolution,
            String name) {
        List<ConvolutionPlan> plans = new ArrayList<>();
        for (Engine engine : engines) {
            if (plans.size() < most) {
                of(engine, device, convolution).ifPresent(plans::add);
            }
        }
        if (plans.isEmpty()) {
            throw new DeviceException(
                    "cuDNN has no deterministic engine with up to %d MiB of workspace for %s on %s, among %d; choose another shape or precision"
                            .formatted(MAX_WORKSPACE_BYTES >> 20, convolution, name, engines.size()));
        }
        return plans;
    }

    /// Empty if cuDNN has no plan, or one with too large a workspace.
    static Optional<ConvolutionPlan> of(
            Engine engine, BiConsumer<Descriptor, Integer> device, Convolution convolution) {
        GraphDescriptors scope = new GraphDescriptors(device);
        try {
            Descriptor graph = convolution.describe(scope);
            Descriptor ofEngine = scope.create(cudnnBackendDescriptorType.CUDNN_BACKEND_ENGINE_DESCRIPTOR)
                    .descriptors(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph)
                    .longs(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, engine.number());
            Descriptor configuration = scope.create(cudnnBackendDescriptorType.CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
            Descriptor plan = scope.create(cudnnBackendDescriptorType.CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
            if (ofEngine.tryToFinish() == 0) {
                configuration.descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, ofEngine);
                Descriptor[] knobs = engine.knobs().entrySet().stream()
                        .map(knob -> scope.create(cudnnBackendDescriptorType.CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR)
                                .choice(
                                        CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
                                        cudnnBackendAttributeType.CUDNN_TYPE_KNOB_TYPE,
                                        knob.getKey())
                                .longs(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, knob.getValue())
                                .finish("a knob"))
                        .toArray(Descriptor[]::new);
                if (knobs.length > 0) {
                    configuration.descriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, knobs);
                }
                if (configuration.tryToFinish() == 0) {
                    plan.descriptors(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
                    if (plan.tryToFinish() == 0) {
                        ConvolutionPlan made = new ConvolutionPlan(engine, scope, plan);
                        long bytes = made.workspaceBytes(); // unsigned
                        if (bytes >= 0 && bytes <= MAX_WORKSPACE_BYTES) {
                            return Optional.of(made);
                        }
                    }
                }
            }
        } catch (RuntimeException | Error e) {
            scope.close();
            throw e;
        }
        scope.close();
        return Optional.empty();
    }

    Engine engine() {
        return engine;
    }

    long workspaceBytes() {
        return plan.read(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
    }

    /// Enqueues the convolution.
    ///
    /// @param x values or gradients in the input's shape; likewise the others
    /// @return cuDNN's status
    int run(Gpu gpu, Buffer x, Buffer w, Buffer y, Buffer workspace) {
        try (GraphDescriptors scope = new GraphDescriptors((_, _) -> {})) {
            Descriptor operands = scope.create(cudnnBackendDescriptorType.CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
                    .longs(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, Convolution.X, Convolution.W, Convolution.Y)
                    .pointers(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, gpu.at(x), gpu.at(w), gpu.at(y))
                    .pointers(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, gpu.at(workspace))
                    .finish("the operands of a convolution");
            return JCudnn.cudnnBackendExecute(gpu.dnn(), plan.handle(), operands.handle());
        }
    }

    @Override
    public void close() {
        descriptors.close();
    }
}
