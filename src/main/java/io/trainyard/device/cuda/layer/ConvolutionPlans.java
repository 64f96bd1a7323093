package io.trainyard.device.cuda.layer;

import io.trainyard.device.DeviceChoices;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.layer.ConvolutionPlan.Engine;
import io.trainyard.device.cuda.layer.GraphDescriptors.Descriptor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/// Selects the plans of a session's convolutions: the engines that the job already used on this kind of GPU;
/// otherwise the fastest, timed once in a process for each shape; or, without timing, the first of cuDNN's
/// heuristic. All are deterministic.
public final class ConvolutionPlans {
    private static final System.Logger LOG = System.getLogger(ConvolutionPlans.class.getName());

    /// The number of plans that are timed for a shape; more without tensor cores, where heuristics know little.
    private static final int TIMED_PLANS = 8;

    private static final int TIMED_IN_FP32 = 16;

    /// The fastest by kind of GPU and convolution.
    private static final Map<String, Engine> TIMED = new ConcurrentHashMap<>();

    private final Gpu gpu;
    private final BiConsumer<Descriptor, Integer> device;
    private final boolean timed;
    private final String kind;
    private final DeviceChoices before;
    private final Map<String, String> chosen = new TreeMap<>();

    /// @param timed whether to time plans whose engines are not recorded
    /// @param kind of the GPU, with cuDNN's version: a choice applies to all GPUs of a kind
    public ConvolutionPlans(Gpu gpu, boolean timed, String kind, DeviceChoices before) {
        this.gpu = gpu;
        this.device = GraphDescriptors.of(gpu.dnn());
        this.timed = timed;
        this.kind = kind;
        this.before = before;
    }

    /// The earlier choices of all devices, and those of this session.
    public DeviceChoices choices() {
        return before.with(new DeviceChoices(Map.of(kind, chosen)));
    }

    /// The plan lives as long as the GPU is open.
    ConvolutionPlan choose(Convolution convolution) {
        List<Engine> offered = ConvolutionPlan.offered(device, convolution);
        ConvolutionPlan plan = recorded(convolution, offered)
                .or(() -> fastest(convolution, offered))
                .orElseGet(() -> plans(offered, 1, convolution).getFirst());
        gpu.onClose(plan::close);
        LOG.log(
                System.Logger.Level.DEBUG,
                "device={0}: {1} with {2} KiB of workspace for {3}",
                gpu,
                plan.engine(),
                plan.workspaceBytes() >> 10,
                convolution);
        chosen.put(convolution.toString(), plan.engine().toString());
        return plan;
    }

    private Optional<ConvolutionPlan> recorded(Convolution convolution, List<Engine> offered) {
        String name = before.of(kind).get(convolution.toString());
        if (name == null) {
            return Optional.empty();
        }
        Optional<ConvolutionPlan> plan = offered.stream()
                .filter(each -> each.toString().equals(name))
                .findFirst()
                .flatMap(engine -> ConvolutionPlan.of(engine, device, convolution));
        if (plan.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "device={0}: cuDNN no longer offers {1} for {2}, by which the job was computed; another is chosen, and the last bits may differ",
                    gpu,
                    name,
                    convolution);
        }
        return plan;
    }

    /// Empty without timing.
    private Optional<ConvolutionPlan> fastest(Convolution convolution, List<Engine> offered) {
        if (!timed) {
            return Optional.empty();
        }
        Engine engine = TIMED.computeIfAbsent(kind + ": " + convolution, _ -> {
            List<ConvolutionPlan> plans =
                    plans(offered, convolution.allowsTensorCores() ? TIMED_PLANS : TIMED_IN_FP32, convolution);
            try {
                return plans.size() == 1
                        ? plans.getFirst().engine()
                        : ConvolutionTimer.fastest(gpu, convolution, plans).engine();
            } finally {
                plans.forEach(ConvolutionPlan::close);
            }
        });
        return ConvolutionPlan.of(engine, device, convolution);
    }

    private List<ConvolutionPlan> plans(List<Engine> offered, int most, Convolution convolution) {
        return ConvolutionPlan.of(offered, most, device, convolution, gpu.name());
    }
}
