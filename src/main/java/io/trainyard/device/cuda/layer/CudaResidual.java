package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import org.jspecify.annotations.Nullable;

/// The sum of two branches that both begin with the layer's input. Each keeps a gradient of that input by itself,
/// and the two are added. Their outputs have the sum's gradient: the first branch's is the sum's own buffer.
final class CudaResidual implements CudaLayer {
    private final Compilation c;
    private final BatchTensor in;
    private final CudaChain layers;
    private final CudaChain shortcut;
    private final @Nullable Buffer layersInGradient;
    private final @Nullable Buffer shortcutInGradient;
    private final BatchTensor out;

    CudaResidual(Network.Layer layer, BatchTensor in, Compilation c, Descriptors descriptors) {
        this.c = c;
        this.in = in;
        String name = layer.name();
        layersInGradient = in.gradient() == null ? null : c.gradient(layer.in(), name + "'s input, of its layers");
        shortcutInGradient = in.gradient() == null ? null : c.gradient(layer.in(), name + "'s input, of its shortcut");
        layers = CudaChain.of(layer.branches().get(0), in.withGradient(layersInGradient), c, descriptors);
        shortcut = CudaChain.of(layer.branches().get(1), in.withGradient(shortcutInGradient), c, descriptors);
        Buffer first = layers.out().gradient();
        out = c.output(layer.out(), false, name)
                .withGradient(first != null ? first : shortcut.out().gradient());
    }

    @Override
    public BatchTensor out() {
        return out;
    }

    @Override
    public boolean needsOutput() {
        return false;
    }

    @Override
    public void forward() {
        layers.forward();
        shortcut.forward();
        add(out.value(), layers.out().value(), shortcut.out().value(), out.elements());
    }

    @Override
    public void backward() {
        Buffer ofLayers = layers.out().gradient();
        Buffer ofShortcut = shortcut.out().gradient();
        if (ofLayers != null && ofShortcut != null) {
            ofShortcut.copyFrom(ofLayers);
        }
        layers.backward();
        shortcut.backward();
        if (in.gradient() != null && layersInGradient != null && shortcutInGradient != null) {
            add(in.gradient(), layersInGradient, shortcutInGradient, in.elements());
        }
    }

    private void add(Buffer sum, Buffer a, Buffer b, long elements) {
        c.kernels().launch("add", elements, sum, a, b, elements);
    }
}
