package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AdvisoriesTest {
    @ParameterizedTest
    @CsvSource({
        "io.netty, netty-codec-http, 4.1.130.Final, CVE-2026-33870",
        "io.netty, netty-codec-http2, 4.1.131.Final, CVE-2026-33871",
        "io.netty, netty-handler, 4.1.134.Final, CVE-2026-50020",
        "io.netty, netty-handler, 4.2.9.Final, CVE-2026-33870",
        "io.quarkus, quarkus-vertx-http, 3.32.1, CVE-2026-39852",
        "io.quarkus, quarkus-vertx-http, 3.33.1, CVE-2026-39852",
        "io.quarkus, quarkus-vertx-http, 3.33.2, CVE-2026-50559",
        "org.postgresql, postgresql, 42.7.10, CVE-2026-42198",
        "com.fasterxml.jackson.core, jackson-databind, 2.21.2, CVE-2026-54515"
    })
    void aVulnerableVersionIsFound(String group, String name, String version, String advisory) throws IOException {
        assertThat(Advisories.read().findings(sbom(group, name, version)))
                .anySatisfy(finding -> assertThat(finding).contains(name, version, advisory));
    }

    @ParameterizedTest
    @CsvSource({
        "io.netty, netty-codec-http, 4.1.140.Final",
        "io.quarkus, quarkus-vertx-http, 3.33.2.1",
        "io.quarkus, quarkus-vertx-http, 3.36.3",
        "io.quarkus, quarkus-core, 3.32.1",
        "org.postgresql, postgresql, 42.7.11",
        "org.postgresql, another, 42.7.10"
    })
    void otherVersionsAndArtifactsAreNotVulnerable(String group, String name, String version) throws IOException {
        assertThat(Advisories.read().findings(sbom(group, name, version))).isEmpty();
    }

    @Test
    void everyAdvisoryNamesItsSource() throws IOException {
        assertThat(Advisories.read().advisories()).isNotEmpty().allSatisfy(advisory -> {
            assertThat(advisory.id()).startsWith("CVE-");
            assertThat(advisory.source()).startsWith("https://");
            assertThat(advisory.affected()).isNotEmpty();
        });
    }

    private static JsonNode sbom(String group, String name, String version) {
        ObjectNode sbom = JsonNodeFactory.instance.objectNode();
        sbom.putArray("components")
                .addObject()
                .put("group", group)
                .put("name", name)
                .put("version", version);
        return sbom;
    }
}
