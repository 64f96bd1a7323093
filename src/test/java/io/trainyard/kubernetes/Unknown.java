package io.trainyard.kubernetes;

import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds fields that the models of cluster objects do not know and keep as "additional properties".
final class Unknown {
    private static final String KEPT = "additionalProperties";

    private Unknown() {}

    static List<String> in(Object model) throws Exception {
        List<String> found = new ArrayList<>();
        look(model, model.getClass().getSimpleName(), found);
        return found;
    }

    private static void look(@Nullable Object value, String path, List<String> found) throws Exception {
        switch (value) {
            case null -> {}
            case Collection<?> all -> {
                for (Object one : all) {
                    look(one, path, found);
                }
            }
            case Map<?, ?> all -> {
                for (var entry : all.entrySet()) {
                    look(entry.getValue(), path + "." + entry.getKey(), found);
                }
            }
            default -> lookAtModel(value, path, found);
        }
    }

    private static void lookAtModel(Object value, String path, List<String> found) throws Exception {
        String type = value.getClass().getName();
        if (!type.startsWith("io.fabric8.") && !type.startsWith("io.strimzi.")
                || value.getClass().isEnum()) {
            return;
        }
        for (PropertyDescriptor property :
                Introspector.getBeanInfo(value.getClass()).getPropertyDescriptors()) {
            if (property.getReadMethod() == null) {
                continue;
            }
            Object held = property.getReadMethod().invoke(value);
            if (!property.getName().equals(KEPT)) {
                look(held, path + "." + property.getName(), found);
            } else if (held instanceof Map<?, ?> kept) {
                kept.keySet().forEach(name -> found.add(path + "." + name));
            }
        }
    }
}
