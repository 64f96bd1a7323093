package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.trainyard.metrics.Metric;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Checks that names use the words of docs/concepts/glossary.md, and none of those that it has replaced.
@Slow
final class RetiredWordsTest {
    private static final Set<String> RETIRED = Set.of("""
            announcer anew custodies custody everybody everybodys gone heard hears keeper keepers
            namesake namesakes news nobody outlook outlooks parked parking rested resting rests
            settlement somebody surroundings tell telling tells told unheard untold urgency urgent
            whatever whoever wish wished wishes""".split("\\s+"));

    @Test
    void typesMethodsAndFieldsHaveNone() {
        List<String> names = new ClassFileImporter()
                .importPackages("io.trainyard").stream()
                        .flatMap(RetiredWordsTest::names)
                        .toList();
        assertThat(names).contains("RetiredWordsTest", "RetiredWordsTest.RETIRED", "Topic.OWNERSHIP");
        assertThat(names).filteredOn(RetiredWordsTest::hasRetiredWord).isEmpty();
    }

    @Test
    void topicsMetricsAndFieldsOfRecordsHaveNone() throws IOException {
        List<String> names = Stream.of(
                        Arrays.stream(Topic.values()).map(topic -> topic.name("")),
                        Arrays.stream(Metric.values()).map(Metric::name),
                        fieldsOfRecords().stream())
                .flatMap(stream -> stream)
                .toList();
        assertThat(names).contains("ownership", "WORKERS", "desiredState");
        assertThat(names).filteredOn(RetiredWordsTest::hasRetiredWord).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "isTold, true",
        "TOLD_AGAIN, true",
        "JobNews, true",
        "tellsWhy, true",
        "stolen, false",
        "newsletterId, false",
        "URGENT, true"
    })
    void findsThemAsWholeWordsOfAName(String name, boolean found) {
        assertThat(hasRetiredWord(name)).isEqualTo(found);
    }

    private static Stream<String> names(JavaClass type) {
        if (type.isAnonymousClass()) {
            return Stream.of();
        }
        return Stream.concat(
                Stream.of(type.getSimpleName()),
                type.getMembers().stream()
                        .filter(member -> !isGenerated(member))
                        .map(member -> type.getSimpleName() + "." + member.getName()));
    }

    private static boolean isGenerated(JavaMember member) {
        return member.getName().contains("$") || member.getModifiers().contains(JavaModifier.SYNTHETIC);
    }

    private static List<String> fieldsOfRecords() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("docs/contract/schemas"))) {
            ObjectMapper json = new ObjectMapper();
            List<Path> schemas = files.toList();
            List<String> fields = new ArrayList<>();
            for (Path schema : schemas) {
                json.readTree(schema.toFile()).findValues("properties").stream()
                        .map(JsonNode::fieldNames)
                        .forEach(names -> names.forEachRemaining(fields::add));
            }
            return fields;
        }
    }

    private static boolean hasRetiredWord(String name) {
        return Arrays.stream(name.split("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+"))
                .anyMatch(word -> RETIRED.contains(word.toLowerCase(Locale.ROOT)));
    }
}
