package io.trainyard.topics;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.WithDefault;
import io.trainyard.Page;
import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.data.DatasetLimits;
import io.trainyard.jobfile.JobFiles;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobLimits;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.topics.KafkaRole.Grant;
import io.trainyard.training.AttemptLimits;
import io.trainyard.worker.WorkerSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.utils.SecurityUtils;
import org.junit.jupiter.api.Test;

/// Checks the roles in docs/how-to/secure.md and the limits in docs/reference/limits.md against the code.
class SecurityPageTest {
    @Test
    void tableOfRolesMatchesTheCode() {
        List<List<String>> expected = new ArrayList<>();
        for (KafkaRole role : KafkaRole.values()) {
            Map<ResourcePattern, List<Grant>> byResource = role.grants().stream()
                    .collect(Collectors.groupingBy(
                            grant -> grant.resource(Topic.DEFAULT_PREFIX), LinkedHashMap::new, Collectors.toList()));
            byResource.forEach((resource, grants) -> expected.add(List.of(
                    expected.stream().anyMatch(row -> row.getFirst().equals("`" + role.word() + "`"))
                            ? ""
                            : "`" + role.word() + "`",
                    resource(resource),
                    grants.stream()
                            .map(grant -> SecurityUtils.operationName(grant.operation()))
                            .collect(Collectors.joining(", ")))));
        }
        assertThat(Page.read("docs/how-to/secure.md").section("## Roles and ACLs").table().stream()
                        .map(row -> List.of(row.getFirst(), row.get(2), row.get(3))))
                .containsExactlyElementsOf(expected);
    }

    private static String resource(ResourcePattern resource) {
        String kind = resource.resourceType() == ResourceType.TOPIC ? "topic" : "group";
        return resource.patternType() == PatternType.PREFIXED
                ? "%ss `%s*`".formatted(kind, resource.name())
                : "%s `%s`".formatted(kind, resource.name());
    }

    @Test
    void tableOfLimitsMatchesTheCode() throws ReflectiveOperationException {
        Map<String, Number> limits = new HashMap<>(DatasetLimits.ALL);
        limits.putAll(Map.ofEntries(
                entry("bytes of a command", JobJson.MAX_BYTES),
                entry("nesting depth of a command", JobJson.MAX_NESTING),
                entry("bytes of a command's headers", CommandLimits.MAX_HEADERS_BYTES),
                entry("layers of a network, including nested ones", NetworkSpec.MAX_LAYERS),
                entry("parameters of a network", JobLimits.MAX_PARAMETERS),
                entry("batch size", JobLimits.MAX_BATCH_SIZE),
                entry("epochs of a job", JobLimits.MAX_EPOCHS),
                entry("steps of a job", JobLimits.MAX_STEPS),
                entry("minutes of a job", JobLimits.MAX_MINUTES),
                entry("trials of a sweep", JobLimits.MAX_TRIALS),
                entry("consecutive attempts without a new checkpoint", AttemptLimits.DEFAULT.maxAttempts()),
                entry("jobs in the files of one `submit`", JobFiles.MAX_JOBS),
                entry("bytes of a file of jobs", JobFiles.MAX_FILE_BYTES),
                entry("bytes of a request body; more gets 413", dashboard("maxBody")),
                entry("means and deviations of `normalize`", DatasetSpec.Normalize.MAX_CHANNELS),
                entry("weights of `classWeights`", LossSpec.CrossEntropy.MAX_CLASSES),
                entry("jobs in one request to the dashboard", dashboard("maxBulk")),
                entry("waiting jobs for a submission by the dashboard", dashboard("maxWaiting")),
                entry("waiting jobs of one user, with sign-in", dashboard("maxWaitingEach"))));
        assertThat(Page.read("docs/reference/limits.md").section("## Jobs and requests").table().stream()
                        .collect(Collectors.toMap(List::getFirst, row -> row.get(1))))
                .isEqualTo(limits.entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, limit -> limit.getValue().toString())));
    }

    private static Number dashboard(String setting) throws ReflectiveOperationException {
        return Long.valueOf(DashboardConfig.class
                .getMethod(setting)
                .getAnnotation(WithDefault.class)
                .value());
    }

    /// A worker's default limits are the largest that a job may use.
    @Test
    void defaultLimitsOfWorkersAreTheLargestAllowed() throws ReflectiveOperationException {
        for (var limit : JobLimits.class.getRecordComponents()) {
            assertThat(WorkerSettings.Limits.class
                            .getMethod(limit.getName())
                            .getAnnotation(WithDefault.class)
                            .value())
                    .as(limit.getName())
                    .isEqualTo(limit.getAccessor().invoke(JobLimits.DEFAULT).toString());
        }
    }
}
