package io.trainyard.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What breaks those who write commands in a newer schema of them: a command that it refuses and the older one takes,
/// or that means something else, for a default is another. It knows the keywords that schemas of commands have, and
/// calls a change broken that it cannot judge.
final class CommandCompatibility {
    private static final Set<String> AS_THEY_ARE =
            Set.of("pattern", "not", "contains", "if", "format", "uniqueItems", "multipleOf");

    private final JsonNode oldRoot;
    private final JsonNode newRoot;

    /// What came of the references that are compared; of those that are being compared nothing yet, for they may be
    /// within themselves.
    private final Map<String, List<String>> compared = new HashMap<>();

    private CommandCompatibility(JsonNode oldRoot, JsonNode newRoot) {
        this.oldRoot = oldRoot;
        this.newRoot = newRoot;
    }

    /// Sentences; empty if nothing breaks.
    static List<String> breaks(JsonNode before, JsonNode now) {
        return new CommandCompatibility(before, now).narrowed(new Pair("the command", before, now, null));
    }

    /// Two schemas of one value.
    ///
    /// @param fields the only ones that the value can have by an older schema around this; null: any
    private record Pair(
            String place,
            JsonNode before,
            JsonNode now,
            @Nullable Set<String> fields) {
        Pair of(String part, JsonNode was, JsonNode is) {
            return new Pair(part, was, is, null);
        }

        Pair ofSame(JsonNode was, JsonNode is) {
            return new Pair(place, was, is, isClosed() ? names() : fields);
        }

        /// Whether the older schema takes no field that it does not name.
        boolean isClosed() {
            JsonNode others = before.path("additionalProperties");
            return others.isBoolean() && !others.asBoolean();
        }

        Set<String> names() {
            return before.path("properties").properties().stream()
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
        }

        List<String> breaksUnless(boolean holds, String keyword) {
            return holds
                    ? List.of()
                    : List.of("%s of %s was %s and is %s"
                            .formatted(keyword, place, told(before.path(keyword)), told(now.path(keyword))));
        }
    }

    private List<String> narrowed(Pair pair) {
        if (!isReference(pair.before()) || !isReference(pair.now())) {
            return keywords(new Pair(
                    pair.place(), resolved(pair.before(), oldRoot), resolved(pair.now(), newRoot), pair.fields()));
        }
        String names = pair.before() + " " + pair.now();
        List<String> known = compared.putIfAbsent(names, List.of());
        if (known != null) {
            return known;
        }
        List<String> breaks =
                keywords(new Pair(pair.place(), resolved(pair.before(), oldRoot), resolved(pair.now(), newRoot), null));
        compared.put(names, breaks);
        return breaks;
    }

    private static boolean isReference(JsonNode schema) {
        return schema.size() == 1 && schema.has("$ref");
    }

    private static JsonNode resolved(JsonNode schema, JsonNode root) {
        return isReference(schema) ? root.at(schema.get("$ref").asText().substring(1)) : schema;
    }

    private List<String> keywords(Pair pair) {
        List<String> breaks = new ArrayList<>();
        for (var keyword : pair.now().properties()) {
            JsonNode was = pair.before().path(keyword.getKey());
            if (!EventCompatibility.REMARKS.contains(keyword.getKey())) {
                breaks.addAll(narrowed(pair, keyword.getKey(), was, keyword.getValue()));
            }
        }
        breaks.addAll(pair.breaksUnless(
                holds(pair.before().path("default"), pair.now().path("default")), "default"));
        return breaks;
    }

    /// What a keyword of the newer schema refuses that the older one takes.
    private List<String> narrowed(Pair pair, String keyword, JsonNode was, JsonNode is) {
        return switch (keyword) {
            case "type" -> pair.breaksUnless(types(is).containsAll(types(was)) && !was.isMissingNode(), keyword);
            case "enum", "const" ->
                pair.breaksUnless(
                        words(pair.now()).containsAll(words(pair.before()))
                                && !words(pair.before()).isEmpty(),
                        keyword);
            case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum" ->
                pair.breaksUnless(isWithin(pair.before(), keyword, is.decimalValue()), keyword);
            case "minLength", "minItems" -> pair.breaksUnless(was.asInt() >= is.asInt(), keyword);
            case "maxLength", "maxItems" -> pair.breaksUnless(was.asInt(Integer.MAX_VALUE) <= is.asInt(), keyword);
            case "required" ->
                pair.breaksUnless(EventCompatibility.texts(was).containsAll(EventCompatibility.texts(is)), keyword);
            case "properties" -> properties(pair, is);
            case "additionalProperties" -> others(pair, was, is);
            case "items" ->
                was.isMissingNode()
                        ? pair.breaksUnless(false, keyword)
                        : narrowed(pair.of("each of " + pair.place(), was, is));
            case "anyOf", "oneOf" -> alternatives(pair, was, is);
            case "allOf" -> rules(pair, was, is);
            case "then", "else" -> narrowed(pair.ofSame(was, is));
            case "$ref" -> narrowed(pair.of(pair.place(), reference(was), reference(is)));
            default ->
                pair.breaksUnless(
                        AS_THEY_ARE.contains(keyword) && withoutRemarks(was).equals(withoutRemarks(is)), keyword);
        };
    }

    private static JsonNode reference(JsonNode name) {
        return JobSchema.reference(name.asText().replaceFirst(".*/", ""));
    }

    private static Set<String> types(JsonNode type) {
        Set<String> types = new HashSet<>(type.isTextual() ? List.of(type.asText()) : EventCompatibility.texts(type));
        if (types.contains("number")) {
            types.add("integer");
        }
        return types;
    }

    private static Set<String> words(JsonNode schema) {
        return Stream.concat(schema.path("enum").valueStream(), Stream.of(schema.path("const")))
                .filter(word -> !word.isMissingNode())
                .map(JsonNode::toString)
                .collect(Collectors.toSet());
    }

    /// Whether the older schema has a bound that is as strict.
    private static boolean isWithin(JsonNode before, String keyword, BigDecimal bound) {
        String word = keyword.endsWith("inimum") ? "inimum" : "aximum";
        int inside = word.equals("inimum") ? 1 : -1;
        JsonNode inclusive = before.path("m" + word);
        JsonNode exclusive = before.path("exclusiveM" + word);
        return exclusive.isNumber() && exclusive.decimalValue().compareTo(bound) * inside >= 0
                || inclusive.isNumber()
                        && inclusive.decimalValue().compareTo(bound) * inside >= (keyword.startsWith("e") ? 1 : 0);
    }

    private List<String> properties(Pair pair, JsonNode is) {
        List<String> breaks = new ArrayList<>();
        JsonNode was = pair.before().path("properties");
        for (var field : is.properties()) {
            String name = field.getKey();
            if (was.has(name)) {
                breaks.addAll(narrowed(pair.of(name, was.get(name), field.getValue())));
            } else if (!pair.isClosed()
                    && (pair.fields() == null || pair.fields().contains(name))) {
                breaks.add("the field %s of %s could be anything".formatted(name, pair.place()));
            }
        }
        return breaks;
    }

    /// What the newer schema says of fields that it does not name: that there are none, or what they are.
    private List<String> others(Pair pair, JsonNode was, JsonNode is) {
        List<String> breaks = new ArrayList<>();
        if (!pair.isClosed()) {
            breaks.addAll(
                    was.isObject() && is.isObject()
                            ? narrowed(pair.of("each other field of " + pair.place(), was, is))
                            : pair.breaksUnless(false, "additionalProperties"));
        }
        Set<String> gone = pair.names();
        pair.now().path("properties").fieldNames().forEachRemaining(gone::remove);
        for (String name : gone) {
            breaks.addAll(
                    is.isObject()
                            ? narrowed(pair.of(name, pair.before().at("/properties/" + name), is))
                            : List.of("the field %s of %s is not taken any more".formatted(name, pair.place())));
        }
        return breaks;
    }

    /// Each of the older must be within one of the newer: the one of its name, where there is one.
    private List<String> alternatives(Pair pair, JsonNode was, JsonNode is) {
        List<String> breaks = new ArrayList<>();
        for (JsonNode each :
                was.isMissingNode() ? List.of(pair.before()) : was.valueStream().toList()) {
            if (isReference(each) && is.valueStream().anyMatch(each::equals)) {
                breaks.addAll(narrowed(pair.of(each.get("$ref").asText().replaceFirst(".*/", ""), each, each)));
            } else if (is.valueStream()
                    .noneMatch(newer -> narrowed(pair.ofSame(each, newer)).isEmpty())) {
                breaks.add("%s is not taken as %s any more".formatted(pair.place(), each));
            }
        }
        return breaks;
    }

    /// Each of the newer must be one of the older, or looser, or ask nothing of what the older schema takes.
    private List<String> rules(Pair pair, JsonNode was, JsonNode is) {
        return is.valueStream()
                .filter(rule -> !isOfNewFields(pair, rule))
                .filter(rule -> was.valueStream()
                        .noneMatch(older -> narrowed(pair.ofSame(older, rule)).isEmpty()))
                .map(rule -> "%s has a rule that it had not: %s"
                        .formatted(pair.place(), rule.path("description").asText(rule.toString())))
                .toList();
    }

    /// Whether a rule holds for all that have none of the fields that the older schema does not know: all that it says
    /// is what holds where there is one, or that there is none.
    private static boolean isOfNewFields(Pair pair, JsonNode rule) {
        Set<String> says = new HashSet<>();
        rule.fieldNames().forEachRemaining(says::add);
        says.removeAll(EventCompatibility.REMARKS);
        return pair.isClosed()
                && (says.equals(Set.of("if", "then")) && needsNewField(pair, rule.get("if"))
                        || says.equals(Set.of("not")) && needsNewField(pair, rule.get("not")));
    }

    private static boolean needsNewField(Pair pair, JsonNode schema) {
        return EventCompatibility.texts(schema.path("required")).stream()
                .anyMatch(field -> !pair.names().contains(field));
    }

    /// Whether what a field stands for where it is left out is as it was; it may say more.
    private static boolean holds(JsonNode before, JsonNode now) {
        return before instanceof ObjectNode object
                ? object.properties().stream().allMatch(field -> holds(field.getValue(), now.path(field.getKey())))
                : before.equals(now);
    }

    private static JsonNode withoutRemarks(JsonNode schema) {
        JsonNode plain = schema.deepCopy();
        plain.findParents("description").forEach(parent -> ((ObjectNode) parent).remove("description"));
        return plain;
    }

    private static String told(JsonNode value) {
        return value.isMissingNode() ? "nothing" : value.toString();
    }
}
