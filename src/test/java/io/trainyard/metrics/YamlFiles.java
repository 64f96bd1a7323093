package io.trainyard.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/// YAML as a tree of JSON.
public final class YamlFiles {
    private YamlFiles() {}

    public static JsonNode read(Path file) throws IOException {
        Object tree = new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
        return new ObjectMapper().valueToTree(tree);
    }
}
