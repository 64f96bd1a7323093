package io.trainyard.share;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobSpec;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The file of projects, as the tree that JSON or YAML parses to:
///
///     window: 1h
///     projects:
///       vision: {weight: 3, running: 8, waiting: 1000}
///       speech: {}
///     others: {weight: 1}
///
/// It is read strictly, because a misspelt name would silently lose its share.
public final class ProjectsFile {
    static final int MAX_PROJECTS = 1000;

    static final double MAX_WEIGHT = 1_000_000;
    static final int MAX_JOBS = 1_000_000;
    static final Duration MIN_WINDOW = Duration.ofMinutes(1);
    static final Duration MAX_WINDOW = Duration.ofDays(30);

    private static final String WINDOW = "window";
    private static final String PROJECTS = "projects";
    private static final String OTHERS = "others";
    private static final String WEIGHT = "weight";
    private static final String RUNNING = "running";
    private static final String WAITING = "waiting";

    private static final Pattern TIME = Pattern.compile("([1-9][0-9]{0,7})([smhd])");

    private ProjectsFile() {}

    /// @throws InvalidJobException with a sentence about the first mistake: field, value, allowed values
    public static ProjectRules read(JsonNode tree) {
        requireFields("the file", tree, List.of(WINDOW, PROJECTS, OTHERS));
        JsonNode projects = tree.path(PROJECTS);
        Map<String, ProjectRule> named = new TreeMap<>();
        if (!isAbsent(projects)) {
            requireObject(PROJECTS, projects, "project names with weights and quotas");
            if (projects.size() > MAX_PROJECTS) {
                throw new InvalidJobException(
                        "projects has %d; allowed is up to %d".formatted(projects.size(), MAX_PROJECTS));
            }
            projects.properties().forEach(entry -> {
                JobSpec.requireProject("the name of a project", entry.getKey());
                named.put(entry.getKey(), rule(PROJECTS + "." + entry.getKey(), entry.getValue()));
            });
        }
        ProjectRules rules = new ProjectRules(window(tree.path(WINDOW)), rule(OTHERS, tree.path(OTHERS)), named);
        if (rules.isNone()) {
            throw new InvalidJobException(
                    "the file is empty: it has no projects, no window and no others; add a project, or omit the file");
        }
        return rules;
    }

    private static ProjectRule rule(String place, JsonNode json) {
        if (isAbsent(json)) {
            return ProjectRule.PLAIN;
        }
        requireFields(place, json, List.of(WEIGHT, RUNNING, WAITING));
        return new ProjectRule(
                weight(place + "." + WEIGHT, json.path(WEIGHT)),
                quota(place + "." + RUNNING, json.path(RUNNING)),
                quota(place + "." + WAITING, json.path(WAITING)));
    }

    private static double weight(String place, JsonNode json) {
        if (isAbsent(json)) {
            return ProjectRule.PLAIN.weight();
        }
        double weight = json.asDouble();
        if (!json.isNumber() || !(weight > 0 && weight <= MAX_WEIGHT)) {
            throw mistake(place, json, "a number above 0 up to %,.0f".formatted(MAX_WEIGHT));
        }
        return weight;
    }

    private static @Nullable Integer quota(String place, JsonNode json) {
        if (isAbsent(json)) {
            return null; // unlimited
        }
        if (!json.canConvertToInt() || !json.isIntegralNumber() || json.asInt() < 0 || json.asInt() > MAX_JOBS) {
            throw mistake(place, json, "a whole number from 0 to %,d, or no value for unlimited".formatted(MAX_JOBS));
        }
        return json.asInt();
    }

    private static Duration window(JsonNode json) {
        if (isAbsent(json)) {
            return ProjectRules.DEFAULT_WINDOW;
        }
        Matcher time = TIME.matcher(json.asText());
        Duration window = json.isTextual() && time.matches() ? time(time) : Duration.ZERO;
        if (window.compareTo(MIN_WINDOW) < 0 || window.compareTo(MAX_WINDOW) > 0) {
            throw mistake(WINDOW, json, "a time from 1m to 30d, such as \"90s\", \"30m\", \"1h\" or \"7d\"");
        }
        return window;
    }

    private static Duration time(Matcher time) {
        long number = Long.parseLong(time.group(1));
        return switch (time.group(2)) {
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }

    private static void requireFields(String place, JsonNode json, List<String> known) {
        requireObject(place, json, String.join(", ", known));
        for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!known.contains(name)) {
                throw new InvalidJobException("%s has \"%s\", which is unknown; allowed are %s"
                        .formatted(place, shown(name), String.join(", ", known)));
            }
        }
    }

    private static void requireObject(String place, JsonNode json, String with) {
        if (!json.isObject()) {
            throw mistake(place, json, "an object with " + with);
        }
    }

    private static boolean isAbsent(JsonNode json) {
        return json.isMissingNode() || json.isNull();
    }

    private static InvalidJobException mistake(String place, JsonNode json, String allowed) {
        return new InvalidJobException("%s is %s; allowed is %s".formatted(place, shown(json.toString()), allowed));
    }

    private static String shown(String text) {
        String printable = text.replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= 80 ? printable : printable.substring(0, 77) + "...";
    }
}
