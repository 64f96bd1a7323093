package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Default;
import io.trainyard.spec.FieldDefaults.Required;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// layers(x) + shortcut(x); an empty shortcut is the identity. Names of the layers are prefixed by this layer's
/// name, those of the shortcut also by `shortcut`.
public record Residual(
        @Nullable String name,
        @Required("residual.layers") List<LayerSpec> layers,
        @Default("[]") List<LayerSpec> shortcut)
        implements Join {
    public Residual {
        layers = Check.complete("residual.layers", layers);
        shortcut = Check.complete("residual.shortcut", shortcut);
        if (layers.isEmpty()) {
            throw new InvalidJobException("residual.layers has 0 layers; give it at least 1");
        }
    }

    @Override
    public List<Branch> sequences() {
        return List.of(new Branch("layers", "", layers), new Branch("shortcut", "shortcut.", shortcut));
    }

    @Override
    public Shape join(List<Shape> outputs) {
        Shape sum = outputs.getFirst();
        Shape other = outputs.getLast();
        if (!sum.equals(other)) {
            throw new ShapeMismatch(
                    "its layers give %s, but its shortcut gives %s; they are added, so they must give the same"
                            .formatted(sum, other));
        }
        return sum;
    }
}
