package io.trainyard.cli;

import io.trainyard.spec.Printable;
import io.trainyard.topics.KafkaRole;
import io.trainyard.topics.KafkaRole.Grant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.utils.SecurityUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

@Command(
        name = "acls",
        description = {"Prints the ACLs that a role needs, as kafka-acls commands.", "Does not connect to Kafka."},
        footer = {
            "  ./trainyard acls --role worker --principal User:w1 --kafka kafka:9093",
            "  ./trainyard acls --role submitter --principal User:alice --prefix team."
        })
public final class AclsCommand extends PlainCommand {
    /// The value is printed in single quotes for a shell, so it must not contain one.
    private static final String PRINCIPAL = "[A-Za-z0-9]+:[^'\\p{Cntrl}]{1,400}";

    @Option(
            names = "--role",
            required = true,
            paramLabel = "ROLE",
            description = "Required: worker, dashboard, reader, submitter, operator or administrator.")
    private String role = "";

    @Option(
            names = "--principal",
            required = true,
            paramLabel = "TYPE:NAME",
            description = "Required: Kafka's principal with the role, such as User:w1.")
    private String principal = "";

    @Mixin
    private KafkaOptions kafka;

    @Override
    public Integer call() {
        KafkaRole asked = Arrays.stream(KafkaRole.values())
                .filter(each -> each.word().equals(role))
                .findAny()
                .orElseThrow(() -> wrong(
                        "--role",
                        role,
                        Arrays.stream(KafkaRole.values()).map(KafkaRole::word).collect(Collectors.joining(", "))));
        if (!principal.matches(PRINCIPAL)) {
            throw wrong("--principal", principal, "TYPE:NAME without quotes, such as User:w1");
        }
        Map<ResourcePattern, List<Grant>> byResource = asked.grants().stream()
                .collect(Collectors.groupingBy(
                        grant -> grant.resource(kafka.prefix()), LinkedHashMap::new, Collectors.toList()));
        byResource.forEach((resource, grants) -> terminal.out().println(line(resource, grants)));
        terminal.out().flush();
        return ExitCodes.OK;
    }

    private ParameterException wrong(String option, String value, String allowed) {
        return wrong("%s is \"%s\"; allowed: %s".formatted(option, Printable.text(value, 80), allowed));
    }

    private String line(ResourcePattern resource, List<Grant> grants) {
        String operations = grants.stream()
                .map(grant -> " --operation " + SecurityUtils.operationName(grant.operation()))
                .collect(Collectors.joining());
        return "kafka-acls --bootstrap-server %s%s --add --allow-principal '%s'%s --%s '%s'%s"
                .formatted(
                        kafka.address(),
                        kafka.config().isBlank() ? "" : " --command-config '%s'".formatted(kafka.config()),
                        principal,
                        operations,
                        resource.resourceType() == ResourceType.TOPIC ? "topic" : "group",
                        resource.name(),
                        resource.patternType() == PatternType.PREFIXED ? " --resource-pattern-type prefixed" : "");
    }
}
