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

    /// The number of plans that are timed for a shape.
    private static final int TIMED_PLANS = 8;

    /// The fastest by kind of GPU and convolution.
    private static final Map<String, Engine> TIMED = new ConcurrentHashMap<>();

    private final Gpu gpu;
    private final boolean timed;
    private final String kind;
    private final DeviceChoices before;
    private final Map<String, String> chosen = new TreeMap<>();

    /// @param timed whether to time plans whose engines are not recorded
    /// @param kind of the GPU, with cuDNN's version: a choice applies to all GPUs of a kind
    public ConvolutionPlans(Gpu gpu, boolean timed, String kind, DeviceChoices before) {
        this.gpu = gpu;
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
        BiConsumer<Descriptor, Integer> device = GraphDescriptors.of(gpu.dnn());
        List<Engine> offered = ConvolutionPlan.offered(device, convolution);
        ConvolutionPlan plan = recorded(convolution, offered, device)
                .or(() -> timedBefore(convolution, device))
                .orElseGet(() -> choose(convolution, offered, device));
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

    private Optional<ConvolutionPlan> recorded(
            Convolution convolution, List<Engine> offered, BiConsumer<Descriptor, Integer> device) {
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

    private Optional<ConvolutionPlan> timedBefore(Convolution convolution, BiConsumer<Descriptor, Integer> device) {
        return Optional.ofNullable(timed ? TIMED.get(key(convolution)) : null)
                .flatMap(engine -> ConvolutionPlan.of(engine, device, convolution));
    }

    private String key(Convolution convolution) {
        return kind + ": " + convolution;
    }

    private ConvolutionPlan choose(
            Convolution convolution, List<Engine> offered, BiConsumer<Descriptor, Integer> device) {
        List<ConvolutionPlan> plans =
                ConvolutionPlan.of(offered, timed ? TIMED_PLANS : 1, device, convolution, gpu.name());
        ConvolutionPlan best = plans.getFirst();
        try {
            if (plans.size() > 1) {
                best = ConvolutionTimer.fastest(gpu, convolution, plans);
                TIMED.put(key(convolution), best.engine());
            }
            return best;
        } finally {
            for (ConvolutionPlan plan : plans) {
                if (!plan.equals(best)) {
                    plan.close();
                }
            }
        }
    }
}
