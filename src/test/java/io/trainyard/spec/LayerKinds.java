package io.trainyard.spec;

import java.util.List;
import java.util.stream.Stream;

/// All kinds of layers, for tests that a table is complete.
public final class LayerKinds {
    private LayerKinds() {}

    public static List<Class<?>> all() {
        return of(LayerSpec.class).toList();
    }

    private static Stream<Class<?>> of(Class<?> type) {
        return type.isSealed() ? Stream.of(type.getPermittedSubclasses()).flatMap(LayerKinds::of) : Stream.of(type);
    }

    /// The kinds of the layers, including nested ones.
    public static Stream<Class<?>> in(List<LayerSpec> layers) {
        return layers.stream()
                .flatMap(layer -> Stream.concat(
                        Stream.of(layer.getClass()),
                        layer.sequences().stream().flatMap(branch -> in(branch.layers()))));
    }
}
