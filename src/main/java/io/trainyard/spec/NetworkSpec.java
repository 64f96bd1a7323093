package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A network as a job names it: one of the [BuiltInNetworks], or a list of layers. The loss is cross-entropy, mean
/// over the batch.
///
/// @param name the built-in network's name; null for a network written out as layers
public record NetworkSpec(@Nullable String name, List<LayerSpec> layers) {
    public static final int MAX_LAYERS = 1000;

    public NetworkSpec {
        layers = Check.complete("network.layers", layers);
        if (layers.isEmpty() || layers.size() > MAX_LAYERS) {
            throw new InvalidJobException(
                    "network.layers has %d layers; allowed is 1 to %d".formatted(layers.size(), MAX_LAYERS));
        }
        for (int i = 0; i < layers.size(); i++) {
            String layerName = layers.get(i).name();
            if (layerName != null) {
                Check.matching(
                        "network.layers[%d].name".formatted(i),
                        layerName,
                        "[A-Za-z0-9_]{1,64}(\\.[A-Za-z0-9_]{1,64}){0,7}",
                        "letters, digits and underscores, in parts joined by single dots, such as conv1 or model.0");
            }
        }
    }

    public static NetworkSpec ofLayers(List<LayerSpec> layers) {
        return new NetworkSpec(null, layers);
    }

    /// @throws InvalidJobException if there is no built-in network of that name
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static NetworkSpec named(String name) {
        return BuiltInNetworks.named(name);
    }

    @JsonCreator(mode = JsonCreator.Mode.PROPERTIES)
    static NetworkSpec read(@JsonProperty("layers") @Nullable List<LayerSpec> layers) {
        return ofLayers(Check.present("network.layers", layers));
    }

    /// What stands in JSON: the name of a built-in network, or `{"layers": [...]}`.
    @JsonValue
    Object json() {
        return name != null ? name : new Written(layers);
    }

    /// Its list is typed, so that Jackson writes each layer's `type`.
    private record Written(List<LayerSpec> layers) {}

    /// For people: the name, or how many layers there are.
    public String label() {
        return name != null ? name : layers.size() + " layers";
    }
}
