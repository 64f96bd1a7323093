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
    /// Those within others are counted, too.
    public static final int MAX_LAYERS = 1000;

    /// Residuals one within another.
    public static final int MAX_NESTING = 8;

    /// What a layer may be called, as a regular expression.
    static final String LAYER_NAME = "[A-Za-z0-9_]{1,64}(\\.[A-Za-z0-9_]{1,64}){0,7}";

    public NetworkSpec {
        layers = Check.complete("network.layers", layers);
        int count = check("network.layers", layers, 0);
        if (count < 1 || count > MAX_LAYERS) {
            throw new InvalidJobException(
                    "network.layers has %d layers; allowed is 1 to %d".formatted(count, MAX_LAYERS));
        }
    }

    /// @param field where the list stands, as a person would write it
    /// @param nesting residuals around it
    /// @return how many layers there are, those within others too
    private static int check(String field, List<LayerSpec> layers, int nesting) {
        if (nesting > MAX_NESTING) {
            throw new InvalidJobException("%s stands in more than %d residuals, one within another; allowed is up to %d"
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
            for (Branch branch : layers.get(i).branches()) {
                count += check(layer + "." + branch.field(), branch.layers(), nesting + 1);
            }
        }
        return count;
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
