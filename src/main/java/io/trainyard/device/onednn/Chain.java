package io.trainyard.device.onednn;

import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.Network;
import java.util.ArrayList;
import java.util.List;

/// A sequence of layers; an empty one is the identity. A ReLU is merged into the layer before it if that supports
/// it.
///
/// The backward pass stops at the first layer that is differentiated.
final class Chain implements OneDnnLayer {
    private final List<OneDnnLayer> layers = new ArrayList<>();
    private final Memory output;

    /// The index of the first layer that is differentiated; the number of layers if there is none.
    private final int first;

    /// The current gradient of the backward pass: that of the output of layer `first`.
    private Memory reached;

    Chain(ProgramBuilder program, List<Network.Layer> layers, Memory input) {
        Memory values = input;
        int untouched = 0;
        for (int i = 0; i < layers.size(); i++) {
            Network.Layer layer = layers.get(i);
            boolean relu = OneDnnLayer.takesRelu(layer)
                    && i + 1 < layers.size()
                    && layers.get(i + 1).spec() instanceof ActivationFunction.Relu;
            OneDnnLayer compiled = OneDnnLayer.of(program, layer, values, relu);
            if (untouched == this.layers.size() && !layer.isDifferentiated()) {
                untouched++;
            }
            this.layers.add(compiled);
            values = compiled.output();
            if (relu) {
                i++;
            }
        }
        output = values;
        reached = output;
        first = untouched;
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        reached = outputGradient;
        for (int i = layers.size() - 1; i >= first; i--) {
            layers.get(i).addParameterGradients(program, reached);
            if (i > first) {
                reached = layers.get(i).addInputGradient(program, reached);
            }
        }
    }

    /// Continues where [#addParameterGradients] stopped. If the input's gradient is needed, the first layer is
    /// differentiated.
    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        reached = layers.isEmpty() ? reached : layers.getFirst().addInputGradient(program, reached);
        return reached;
    }
}
