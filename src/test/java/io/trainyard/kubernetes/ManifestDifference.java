package io.trainyard.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.metrics.YamlFiles;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

/// The difference between rendered manifests: a line for each removed (`-`) or added (`+`) value, in the order
/// of objects and fields.
final class ManifestDifference {
    private ManifestDifference() {}

    static String of(String before, String now) throws Exception {
        Map<String, String> old = values(before);
        Map<String, String> present = values(now);
        TreeSet<String> places = new TreeSet<>(old.keySet());
        places.addAll(present.keySet());
        StringBuilder lines = new StringBuilder();
        for (String place : places) {
            String was = old.get(place);
            String is = present.get(place);
            if (!Objects.equals(was, is)) {
                if (was != null) {
                    lines.append("- ").append(place).append(": ").append(was).append('\n');
                }
                if (is != null) {
                    lines.append("+ ").append(place).append(": ").append(is).append('\n');
                }
            }
        }
        return lines.toString();
    }

    private static Map<String, String> values(String manifests) throws Exception {
        Map<String, String> values = new TreeMap<>();
        for (JsonNode object : YamlFiles.readAll(manifests)) {
            String id = object.get("kind").asText() + " "
                    + object.at("/metadata/name").asText();
            collect(object, id + " ", values);
        }
        return values;
    }

    private static void collect(JsonNode node, String place, Map<String, String> values) {
        if (node.isEmpty() || node.isValueNode()) {
            String text = node.toString();
            values.put(place, text.contains("\\n") ? "\"a text of several lines\"" : text);
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                collect(node.get(i), "%s[%s]".formatted(place, name(node.get(i), i)), values);
            }
        } else {
            node.properties().forEach(field -> collect(field.getValue(), place + "." + field.getKey(), values));
        }
    }

    /// Named elements are matched by name, so that an inserted one does not shift the others.
    private static String name(JsonNode element, int index) {
        return element.path("name").isTextual() ? element.get("name").asText() : Integer.toString(index);
    }
}
