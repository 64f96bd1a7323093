package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import org.jspecify.annotations.Nullable;

/// The sum of two branches of the layer's input. Both outputs share the gradient of the sum, in the buffer of the
/// layers' output. An identity shortcut uses this buffer as well; one with layers has a copy.
final class CudaResidual extends CudaJoin {
    private final BatchTensor layers;
    private final BatchTensor shortcut;
    private final BatchTensor out;

    CudaResidual(Network.Layer layer, BatchTensor in, @Nullable CudaLayer before, Compilation c) {
        super(layer, in, before, true, c);
        layers = branches.getFirst().out();
        shortcut = branches.getLast().out();
        Buffer first = layers.gradient();
        out = c.output(layer.out(), false, layer.name()).withGradient(first != null ? first : shortcut.gradient());
    }

    @Override
    public BatchTensor out() {
        return out;
    }

    @Override
    void join() {
        c.kernels().launch("add", out.elements(), out.value(), layers.value(), shortcut.value(), out.elements());
    }

    @Override
    void split() {
        Buffer ofLayers = layers.gradient();
        Buffer ofShortcut = shortcut.gradient();
        if (ofLayers != null && ofShortcut != null && !ofShortcut.equals(ofLayers)) {
            ofShortcut.copyFrom(ofLayers);
        }
    }
}
