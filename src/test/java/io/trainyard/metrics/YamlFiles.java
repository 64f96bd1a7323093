package io.trainyard.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/// YAML as a tree of JSON.
public final class YamlFiles {
    private YamlFiles() {}

    public static JsonNode read(Path file) throws IOException {
        return readAll(Files.readString(file)).getFirst();
    }

    public static List<JsonNode> readAll(String text) {
        ObjectMapper mapper = new ObjectMapper();
        List<JsonNode> documents = new ArrayList<>();
        new Yaml(new SafeConstructor(new LoaderOptions()))
                .loadAll(text)
                .forEach(document -> documents.add(mapper.valueToTree(document)));
        return documents;
    }
}
