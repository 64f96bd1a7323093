package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A network in a job: one of the [BuiltInNetworks], or a list of layers. The loss is cross-entropy, mean over
/// the batch.
///
/// @param name the built-in network's name; null for a list of layers
public record NetworkSpec(@Nullable String name, List<LayerSpec> layers) {
    /// Includes nested layers.
    public static final int MAX_LAYERS = 1000;

    /// Nesting of layers with branches.
    public static final int MAX_NESTING = 8;

    /// Regular expression of layer names.
    static final String LAYER_NAME = "[A-Za-z0-9_]{1,64}(\\.[A-Za-z0-9_]{1,64}){0,7}";

    public NetworkSpec {
        layers = Check.complete("network.layers", layers);
        int count = check("network.layers", layers, 0);
        if (count < 1 || count > MAX_LAYERS) {
            throw new InvalidJobException(
                    "network.layers has %d layers; allowed is 1 to %d".formatted(count, MAX_LAYERS));
        }
    }

    /// @param field path of the list, for messages
    /// @param nesting number of enclosing layers
    /// @return number of layers, including nested ones
    private static int check(String field, List<LayerSpec> layers, int nesting) {
        if (nesting > MAX_NESTING) {
            throw new InvalidJobException("%s is nested in more than %d layers; allowed is up to %d"
                    .formatted(field, MAX_NESTING, MAX_NESTING));
        }
        int count = layers.size();
        for (int i = 0; i < layers.size(); i++) {
            String layer = "%s[%d]".formatted(field, i);
            String layerName = layers.get(i).name();
            if (layerName != null) {
                Check.matching(
                        layer + ".name",
                        layerName,
                        LAYER_NAME,
                        "letters, digits and underscores, in parts joined by single dots, such as conv1 or model.0");
            }
            for (Branch branch : layers.get(i).sequences()) {
                count += check(layer + "." + branch.field(), branch.layers(), nesting + 1);
            }
        }
        return count;
    }

    public static NetworkSpec ofLayers(List<LayerSpec> layers) {
        return new NetworkSpec(null, layers);
    }

    /// @throws InvalidJobException if there is no built-in network with this name
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static NetworkSpec named(String name) {
        return BuiltInNetworks.named(name);
    }

    @JsonCreator(mode = JsonCreator.Mode.PROPERTIES)
    static NetworkSpec read(@JsonProperty("layers") @Nullable List<LayerSpec> layers) {
        return ofLayers(Check.present("network.layers", layers));
    }

    /// The JSON form: the name of a built-in network, or `{"layers": [...]}`.
    @JsonValue
    Object json() {
        return name != null ? name : new Written(layers);
    }

    /// The list is typed, so that Jackson writes each layer's `type`.
    private record Written(List<LayerSpec> layers) {}

    /// For display: the name, or the number of layers.
    public String label() {
        return name != null ? name : layers.size() + " layers";
    }
}
