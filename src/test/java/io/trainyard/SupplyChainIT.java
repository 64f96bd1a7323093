package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The list of shipped components that Maven has written next to the packaged application.
final class SupplyChainIT {
    private static final Path APPLICATION = Path.of("target/quarkus-app");
    private static final Path LIST = APPLICATION.resolve("sbom.json");

    /// The entry of the row for all components without a row.
    private static final String ALL_OTHERS = "all others";

    private static final Pattern CLASSIFIER = Pattern.compile("[?&]classifier=([^&]+)");

    /// A quick build, or one without network access, makes no list.
    @BeforeAll
    static void theListOfComponentsExists() {
        if (!"true".equals(System.getenv("CI"))) {
            assumeThat(LIST).exists();
        }
    }

    @Test
    void everyJarIsInTheList() throws IOException {
        List<String> listed = parts().map(SupplyChainIT::jar).toList();

        for (String folder : List.of("boot", "main")) {
            try (Stream<Path> jars = Files.list(APPLICATION.resolve("lib").resolve(folder))) {
                assertThat(jars.map(jar -> jar.getFileName().toString()))
                        .isNotEmpty()
                        .isSubsetOf(listed);
            }
        }
    }

    @Test
    void everyPartHasAVersionAndAHash() throws IOException {
        assertThat(parts()).isNotEmpty().allSatisfy(part -> {
            assertThat(part.path("version").asText()).as("%s", part).isNotEmpty();
            assertThat(part.path("hashes").findValuesAsText("alg"))
                    .as("%s", part.path("purl"))
                    .contains("SHA-256");
        });
    }

    @Test
    void noPartHasAKnownVulnerability() throws IOException {
        assertThat(Advisories.read().findings(new ObjectMapper().readTree(LIST.toFile())))
                .as("parts that an advisory names; take the version that has the fix (pom.xml)")
                .isEmpty();
    }

    /// The page's table is the list of permitted licences, best first, with the components under each.
    @Test
    void everyLicenceIsOneThatIsAllowed() throws IOException {
        Map<String, String> allowed = new LinkedHashMap<>();
        Page.read("docs/contributing/supply-chain.md")
                .section("## Licences")
                .table()
                .forEach(row -> allowed.put(Page.code(row, 0).getFirst(), row.get(1)));

        Map<String, Collection<String>> found = new LinkedHashMap<>();
        for (JsonNode part : parts().toList()) {
            List<String> licences = licences(part);
            assertThat(licences)
                    .as("the licences of %s, beside those of docs/contributing/supply-chain.md", part.path("purl"))
                    .containsAnyElementsOf(allowed.keySet());
            String taken = allowed.keySet().stream()
                    .filter(licences::contains)
                    .findFirst()
                    .orElseThrow();
            found.computeIfAbsent(taken, licence -> new TreeSet<>())
                    .add(part.path("group").asText());
        }

        assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(allowed.keySet());
        allowed.forEach((licence, groups) -> {
            if (!groups.equals(ALL_OTHERS)) {
                assertThat(Page.code(List.of(groups), 0))
                        .as("those under %s", licence)
                        .containsExactlyElementsOf(found.getOrDefault(licence, List.of()));
            }
        });
    }

    private static Stream<JsonNode> parts() throws IOException {
        return StreamSupport.stream(
                new ObjectMapper().readTree(LIST.toFile()).path("components").spliterator(), false);
    }

    /// The file name that Quarkus uses.
    private static String jar(JsonNode part) {
        Matcher classifier = CLASSIFIER.matcher(part.path("purl").asText());
        return "%s.%s-%s%s.jar"
                .formatted(
                        part.path("group").asText(),
                        part.path("name").asText(),
                        part.path("version").asText(),
                        classifier.find() ? "-" + classifier.group(1) : "");
    }

    /// Alternative licences: Maven defines multiple licences as a choice.
    private static List<String> licences(JsonNode part) {
        List<String> licences = new ArrayList<>();
        for (JsonNode choice : part.path("licenses")) {
            JsonNode one = choice.path("license");
            licences.add(one.path("id").asText(one.path("name").asText()));
            licences.addAll(List.of(
                    choice.path("expression").asText().replaceAll("[()]", "").split(" OR ")));
        }
        return licences;
    }
}
