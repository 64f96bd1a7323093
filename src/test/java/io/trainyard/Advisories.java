package io.trainyard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Known vulnerabilities of Trainyard's dependencies, from the manually maintained `advisories.json`: a build
/// must not depend on an online database.
record Advisories(List<Advisory> advisories) {
    /// @param artifact the group and name of a Maven artifact; the name `*` matches the whole group
    record Advisory(String id, String artifact, List<Range> affected, String source) {
        boolean affects(String group, String name, String version) {
            return (artifact.equals(group + ":" + name) || artifact.equals(group + ":*"))
                    && affected.stream().anyMatch(range -> range.contains(version));
        }
    }

    /// A range of versions: from the first one up to, but excluding, the fixed one.
    record Range(Version from, Version fixed) {
        boolean contains(String version) {
            Version found = Version.parse(version);
            return from.compareTo(found) <= 0 && found.compareTo(fixed) < 0;
        }
    }

    static Advisories read() throws IOException {
        try (InputStream file = Objects.requireNonNull(Advisories.class.getResourceAsStream("advisories.json"))) {
            List<Advisory> advisories = new ArrayList<>();
            for (JsonNode json : new ObjectMapper().readTree(file)) {
                List<Range> affected = new ArrayList<>();
                for (JsonNode range : json.required("affected")) {
                    affected.add(new Range(
                            Version.parse(range.required("from").asText()),
                            Version.parse(range.required("fixed").asText())));
                }
                advisories.add(new Advisory(
                        json.required("id").asText(),
                        json.required("package").asText(),
                        List.copyOf(affected),
                        json.required("source").asText()));
            }
            return new Advisories(List.copyOf(advisories));
        }
    }

    /// One line for each component of a CycloneDX list and each advisory that matches its version.
    List<String> findings(JsonNode sbom) {
        List<String> findings = new ArrayList<>();
        for (JsonNode part : sbom.path("components")) {
            for (Advisory advisory : advisories) {
                String version = part.path("version").asText();
                if (advisory.affects(
                        part.path("group").asText(), part.path("name").asText(), version)) {
                    findings.add("%s %s: %s (%s)"
                            .formatted(part.path("name").asText(), version, advisory.id(), advisory.source()));
                }
            }
        }
        return findings;
    }
}
