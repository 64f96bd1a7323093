package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import org.jspecify.annotations.Nullable;

/// The sum of two branches of the layer's input. Both outputs share the gradient of the sum, in the buffer of the
/// layers' output. An identity shortcut uses this buffer as well; one with layers has a copy.
final class CudaResidual implements CudaLayer {
    private final Compilation c;
    private final Fork fork;
    private final CudaChain layers;
    private final CudaChain shortcut;
    private final BatchTensor out;

    /// @param before the layer with the output `in`; null if it has none
    CudaResidual(Network.Layer layer, BatchTensor in, @Nullable CudaLayer before, Compilation c) {
        this.c = c;
        layers = CudaChain.of(layer.branches().get(0), in, c);
        BatchTensor shortcutIn = layer.branches().get(1).isEmpty()
                ? in.withGradient(layers.out().gradient())
                : Fork.branch(layer, in, "shortcut", c);
        shortcut = CudaChain.of(layer.branches().get(1), shortcutIn, c);
        fork = Fork.of(in, shortcutIn, before);
        Buffer first = layers.out().gradient();
        out = c.output(layer.out(), false, layer.name())
                .withGradient(first != null ? first : shortcut.out().gradient());
    }

    @Override
    public BatchTensor out() {
        return out;
    }

    @Override
    public void forward() {
        layers.forward();
        shortcut.forward();
        c.kernels()
                .launch(
                        "add",
                        out.elements(),
                        out.value(),
                        layers.out().value(),
                        shortcut.out().value(),
                        out.elements());
    }

    @Override
    public void backward() {
        Buffer ofLayers = layers.out().gradient();
        Buffer ofShortcut = shortcut.out().gradient();
        if (ofLayers != null && ofShortcut != null && !ofShortcut.equals(ofLayers)) {
            ofShortcut.copyFrom(ofLayers);
        }
        shortcut.backward();
        layers.backward();
        fork.backward(c);
    }
}
