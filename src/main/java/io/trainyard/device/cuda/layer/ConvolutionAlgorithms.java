package io.trainyard.device.cuda.layer;

import io.trainyard.device.DeviceChoices;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.layer.ConvolutionAlgorithm.Direction;
import io.trainyard.device.cuda.layer.ConvolutionAlgorithm.Shapes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/// Selects the algorithms of a session's convolutions: those that the job already used on this kind of GPU;
/// otherwise the fastest, timed once in a process for each shape; or, without timing, the first of cuDNN's
/// heuristic. All are deterministic.
public final class ConvolutionAlgorithms {
    private static final System.Logger LOG = System.getLogger(ConvolutionAlgorithms.class.getName());

    /// By kind of GPU and convolution.
    private static final Map<String, ConvolutionAlgorithm> TIMED = new ConcurrentHashMap<>();

    private final Gpu gpu;
    private final boolean timed;
    private final String kind;
    private final DeviceChoices before;
    private final Map<String, Integer> chosen = new TreeMap<>();

    /// @param timed whether to time algorithms that are not recorded
    /// @param kind of the GPU, with cuDNN's version: a choice applies to all GPUs of a kind
    public ConvolutionAlgorithms(Gpu gpu, boolean timed, String kind, DeviceChoices before) {
        this.gpu = gpu;
        this.timed = timed;
        this.kind = kind;
        this.before = before;
    }

    /// The earlier choices of all devices, and those of this session.
    public DeviceChoices choices() {
        return before.with(new DeviceChoices(Map.of(kind, chosen)));
    }

    ConvolutionAlgorithm choose(Direction direction, String convolution, Shapes shapes) {
        String what = "%s of %s".formatted(direction, convolution);
        List<ConvolutionAlgorithm> candidates = ConvolutionAlgorithm.candidates(gpu, direction, convolution, shapes);
        ConvolutionAlgorithm algorithm =
                recorded(what, candidates).orElseGet(() -> choose(direction, what, shapes, candidates));
        chosen.put(what, algorithm.number());
        return algorithm;
    }

    private Optional<ConvolutionAlgorithm> recorded(String what, List<ConvolutionAlgorithm> candidates) {
        Integer number = before.of(kind).get(what);
        if (number == null) {
            return Optional.empty();
        }
        Optional<ConvolutionAlgorithm> found =
                candidates.stream().filter(each -> each.number() == number).findFirst();
        if (found.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "device={0}: cuDNN no longer offers algorithm {1} for {2}, by which the job was computed; another is chosen, and the last bits may differ",
                    gpu,
                    number,
                    what);
        }
        return found;
    }

    private ConvolutionAlgorithm choose(
            Direction direction, String what, Shapes shapes, List<ConvolutionAlgorithm> candidates) {
        return timed && candidates.size() > 1
                ? TIMED.computeIfAbsent(
                        kind + ": " + what, _ -> ConvolutionTimer.fastest(gpu, direction, shapes, candidates))
                : candidates.getFirst();
    }
}
