package io.trainyard.device.cuda.layer;

import static jcuda.jcudnn.cudnnBackendAttributeName.*;
import static jcuda.jcudnn.cudnnBackendAttributeType.*;
import static jcuda.jcudnn.cudnnBackendDescriptorType.*;
import static jcuda.jcudnn.cudnnBackendNumericalNote.*;

import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceLostException;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.layer.Convolution.Direction;
import io.trainyard.device.cuda.layer.GraphDescriptors.Descriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import jcuda.jcudnn.JCudnn;

/// cuDNN's executable plan for a convolution, by one engine.
record ConvolutionPlan(Engine engine, long workspaceBytes, GraphDescriptors descriptors, Descriptor plan)
        implements AutoCloseable {
    /// The limit for a plan's workspace.
    private static final long MAX_WORKSPACE_BYTES = 512L << 20;

    /// cudnnBackendHeurMode_t; JCudnn lacks the first.
    private static final int[] HEURISTICS = {3, 2}; // A, FALLBACK

    private static final int TILE_SIZE = 2; // cudnnBackendKnobType_t
    private static final int RUNTIME_COMPILATION = 0; // cudnnBackendBehaviorNote_t
    private static final int MAX_NOTES = 32;

    /// More than cuDNN has; it does not report their number in advance.
    private static final int MAX_KNOBS = 64;

    private static final System.Logger LOG = System.getLogger(ConvolutionPlan.class.getName());

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

    /// The engines with deterministic and sufficiently precise results, in the order of cuDNN's heuristics. Some
    /// may not have a plan.
    ///
    /// @param device see [GraphDescriptors]
    static List<Engine> offered(BiConsumer<Descriptor, Integer> device, Convolution convolution) {
        List<Engine> engines = new ArrayList<>();
        List<Engine> compiled = new ArrayList<>();
        try (GraphDescriptors scope = new GraphDescriptors(device)) {
            Descriptor graph = convolution.describe(scope);
            for (int mode : HEURISTICS) {
                Descriptor heuristic = scope.create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)
                        .descriptors(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
                        .choice(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
                if (heuristic.tryToFinish() == 0) { // otherwise it has none for this operation
                    int count = heuristic.count(CUDNN_ATTR_ENGINEHEUR_RESULTS);
                    for (Descriptor configuration : scope.read(
                            heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, count)) {
                        Descriptor engine = scope.read(
                                        configuration, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1)[
                                0];
                        if (allows(engine, convolution)) {
                            (isCompiled(engine) ? compiled : engines).add(read(scope, configuration, engine));
                        }
                    }
                }
            }
            if (!convolution.allowsTensorCores()) {
                addTiles(engines, graph, scope, convolution);
            }
        }
        return (engines.isEmpty() ? compiled : engines).stream().distinct().toList();
    }

    /// Adds the other tile sizes of engines that compute in float32, of which cuDNN's heuristics offer few.
    private static void addTiles(
            List<Engine> engines, Descriptor graph, GraphDescriptors scope, Convolution convolution) {
        for (long number = 0; number < graph.read(CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT); number++) {
            Descriptor engine = scope.create(CUDNN_BACKEND_ENGINE_DESCRIPTOR)
                    .descriptors(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph)
                    .longs(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, number);
            if (engine.tryToFinish() != 0 || !allows(engine, convolution) || isCompiled(engine)) {
                continue;
            }
            for (Descriptor knob :
                    scope.read(engine, CUDNN_ATTR_ENGINE_KNOB_INFO, CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR, MAX_KNOBS)) {
                if (knob.read(CUDNN_ATTR_KNOB_INFO_TYPE, CUDNN_TYPE_KNOB_TYPE, 1)[0] == TILE_SIZE) {
                    long step = Math.max(1, knob.read(CUDNN_ATTR_KNOB_INFO_STRIDE));
                    long last = knob.read(CUDNN_ATTR_KNOB_INFO_MAXIMUM_VALUE);
                    for (long size = knob.read(CUDNN_ATTR_KNOB_INFO_MINIMUM_VALUE); size <= last; size += step) {
                        engines.add(new Engine(number, Map.of(TILE_SIZE, size)));
                    }
                }
            }
        }
    }

    private static boolean isCompiled(Descriptor engine) {
        return IntStream.of(engine.read(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE, MAX_NOTES))
                .anyMatch(note -> note == RUNTIME_COMPILATION);
    }

    private static boolean allows(Descriptor engine, Convolution convolution) {
        return IntStream.of(engine.read(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, MAX_NOTES))
                .allMatch(note -> allows(note, convolution));
    }

    /// Conversion of inputs is to float16, which overflows. Winograd and FFT spread non-finite values to other
    /// samples of the batch, as measured on an H100. In the forward direction no sample's result may depend on
    /// another sample. Weight gradients are sums over the batch anyway.
    private static boolean allows(int note, Convolution convolution) {
        return switch (note) {
            case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS -> false;
            case CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION ->
                convolution.allowsTensorCores();
            case CUDNN_NUMERICAL_NOTE_FFT, CUDNN_NUMERICAL_NOTE_WINOGRAD, 6, 7, 8 -> // Winograd by tiles in new cuDNN
                convolution.direction() != Direction.FORWARD;
            default -> true;
        };
    }

    private static Engine read(GraphDescriptors scope, Descriptor configuration, Descriptor engine) {
        Map<Integer, Long> knobs = new TreeMap<>();
        for (Descriptor knob : scope.read(
                configuration, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, MAX_KNOBS)) {
            int type = knob.read(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1)[0];
            knobs.put(type, knob.read(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
        }
        return new Engine(engine.read(CUDNN_ATTR_ENGINE_GLOBAL_INDEX), knobs);
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
            Descriptor ofEngine = scope.create(CUDNN_BACKEND_ENGINE_DESCRIPTOR)
                    .descriptors(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, convolution.describe(scope))
                    .longs(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, engine.number())
                    .finish(engine.toString());
            Descriptor configuration =
                    scope.create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, ofEngine);
            Descriptor[] knobs = engine.knobs().entrySet().stream()
                    .map(knob -> scope.create(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR)
                            .choice(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, knob.getKey())
                            .longs(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, knob.getValue())
                            .finish("a knob"))
                    .toArray(Descriptor[]::new);
            if (knobs.length > 0) {
                configuration.descriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, knobs);
            }
            Descriptor plan = scope.create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)
                    .descriptors(
                            CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration.finish("the knobs of " + engine))
                    .finish("the plan of " + engine);
            long bytes = plan.read(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE); // unsigned
            if (bytes >= 0 && bytes <= MAX_WORKSPACE_BYTES) {
                return Optional.of(new ConvolutionPlan(engine, bytes, scope, plan));
            }
            scope.close();
            return Optional.empty();
        } catch (DeviceLostException e) {
            throw e;
        } catch (DeviceException e) {
            scope.close();
            LOG.log(System.Logger.Level.DEBUG, "no plan for {0}: {1}", convolution, e.getMessage());
            return Optional.empty();
        }
    }

    /// Enqueues the convolution.
    ///
    /// @param x values or gradients in the input's shape; likewise the others
    /// @return cuDNN's status
    int run(Gpu gpu, Buffer x, Buffer w, Buffer y, Buffer workspace) {
        try (GraphDescriptors scope = new GraphDescriptors((_, _) -> {})) {
            Descriptor operands = scope.create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
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
