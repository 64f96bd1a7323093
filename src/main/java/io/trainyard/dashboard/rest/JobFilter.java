package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.spec.JobField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Conditions on fields, all of which must hold: `optimizer.learningRate > 0.01 and batchSize = 64`.
record JobFilter(List<Condition> conditions) {
    private static final int MAX_CONDITIONS = 20;
    private static final Pattern AND = Pattern.compile("\\s+and(\\s+|$)", Pattern.CASE_INSENSITIVE);
    private static final Pattern CONDITION = Pattern.compile("\\s*([\\w.-]+)\\s*(<=|>=|!=|=|<|>|~)\\s*(\\S.*?)\\s*");

    /// @param operator `=`, `!=`, `<`, `<=`, `>`, `>=`, or `~` for texts that contain the value
    /// @param number null: the value is a text
    record Condition(
            String field,
            String operator,
            String value,
            @Nullable Double number) {
        boolean accepts(@Nullable JsonNode found) {
            if (found == null || found.isNull()) {
                return operator.equals("!=");
            }
            if (number == null || !found.isNumber() || operator.equals("~")) {
                String text = JobField.text(found);
                return switch (operator) {
                    case "=" -> text.equalsIgnoreCase(value);
                    case "!=" -> !text.equalsIgnoreCase(value);
                    case "~" -> text.toLowerCase(Locale.ROOT).contains(value.toLowerCase(Locale.ROOT));
                    default -> false;
                };
            }
            int order = Double.compare(found.doubleValue(), number);
            return switch (operator) {
                case "=" -> order == 0;
                case "!=" -> order != 0;
                case "<" -> order < 0;
                case "<=" -> order <= 0;
                case ">" -> order > 0;
                default -> order >= 0;
            };
        }
    }

    /// @param text empty: no condition
    static JobFilter of(String text) {
        List<Condition> conditions = new ArrayList<>();
        for (String part : text.isBlank() ? new String[0] : AND.split(text, -1)) {
            conditions.add(condition(part));
        }
        if (conditions.size() > MAX_CONDITIONS) {
            throw Problem.badRequest(
                    "where has %d conditions; allowed are %d".formatted(conditions.size(), MAX_CONDITIONS));
        }
        return new JobFilter(List.copyOf(conditions));
    }

    private static Condition condition(String text) {
        Matcher matcher = CONDITION.matcher(text);
        if (!matcher.matches()) {
            throw Problem.badRequest(
                    "where has the condition \"%s\"; allowed is a field, one of = != < <= > >= ~, and a value, such as optimizer.learningRate > 0.01, with \"and\" between conditions"
                            .formatted(Parameter.shown(text)));
        }
        String value = matcher.group(3).replaceAll("^\"(.*)\"$", "$1");
        Double number = number(value);
        if (number == null && !Set.of("=", "!=", "~").contains(matcher.group(2))) {
            throw Problem.badRequest("where compares %s with \"%s\"; after %s, allowed is a number"
                    .formatted(matcher.group(1), Parameter.shown(value), matcher.group(2)));
        }
        return new Condition(matcher.group(1), matcher.group(2), value, number);
    }

    private static @Nullable Double number(String text) {
        try {
            return Double.valueOf(text);
        } catch (NumberFormatException _) {
            return null;
        }
    }

    Set<String> fields() {
        return conditions.stream().map(Condition::field).collect(Collectors.toSet());
    }

    /// @param values the value of a field; null where the job has no such field
    boolean accepts(Function<String, @Nullable JsonNode> values) {
        return conditions.stream().allMatch(condition -> condition.accepts(values.apply(condition.field())));
    }
}
