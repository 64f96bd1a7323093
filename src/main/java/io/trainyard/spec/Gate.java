package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Required;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// x * layers(x), where the layers give one factor for each channel of a sample, as in squeeze-and-excitation. Names
/// of the layers are prefixed by this layer's name.
public record Gate(
        @Nullable String name, @Required("gate.layers") List<LayerSpec> layers) implements Join {
    public Gate {
        layers = Check.complete("gate.layers", layers);
        if (layers.isEmpty()) {
            throw new InvalidJobException("gate.layers has 0 layers; give it at least 1");
        }
    }

    /// The input itself, then the layers that compute the factors.
    @Override
    public List<Branch> sequences() {
        return List.of(new Branch("", "", List.of()), new Branch("layers", "", layers));
    }

    @Override
    public Shape join(List<Shape> outputs) {
        Shape values = outputs.getFirst();
        Shape factors = outputs.getLast();
        int channels = values.size(0);
        if (factors.size(0) != channels || factors.elements() != channels) {
            throw new ShapeMismatch(
                    "its layers give %s, but its input has %d channels; they multiply the channels, so they must give %dx1x1 or %d"
                            .formatted(factors, channels, channels, channels));
        }
        return values;
    }
}
