package io.trainyard.contract;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// What breaks readers of records in a newer schema of them. Topics keep old records beside new ones, and old readers
/// stay beside new ones: what the newer schema takes the older one must take, and the other way round. So nothing may
/// change but that fields come to stand beside the others, which old records have not.
final class EventCompatibility {
    /// What only tells people.
    static final Set<String> REMARKS =
            Set.of("$schema", "title", "description", "examples", "default", "$comment", "$defs", "contentMediaType");

    private final List<String> breaks = new ArrayList<>();

    private EventCompatibility() {}

    /// Sentences; empty if nothing breaks.
    static List<String> breaks(JsonNode before, JsonNode now) {
        EventCompatibility compared = new EventCompatibility();
        compared.compare("the record", before, now);
        return compared.breaks;
    }

    private void compare(String place, JsonNode before, JsonNode now) {
        if (!before.isObject() || !now.isObject()) {
            if (!before.equals(now)) {
                say("%s was %s and is %s", place, before, now);
            }
            return;
        }
        Set<String> keywords = new LinkedHashSet<>();
        Stream.of(before, now).forEach(schema -> schema.fieldNames().forEachRemaining(keywords::add));
        keywords.removeAll(REMARKS);
        for (String keyword : keywords) {
            JsonNode was = before.path(keyword);
            JsonNode is = now.path(keyword);
            switch (keyword) {
                case "properties" -> properties(place, was, is);
                case "required" -> required(place, texts(was), texts(is));
                case "items" -> compare("each of " + place, was, is);
                default -> {
                    if (!was.equals(is)) {
                        say("%s of %s was %s and is %s", keyword, place, told(was), told(is));
                    }
                }
            }
        }
    }

    private void properties(String place, JsonNode before, JsonNode now) {
        for (var field : before.properties()) {
            String name = field.getKey();
            if (now.has(name)) {
                compare(name, field.getValue(), now.get(name));
            } else {
                say("the field %s of %s is gone", name, place);
            }
        }
    }

    private void required(String place, List<String> before, List<String> now) {
        before.stream()
                .filter(field -> !now.contains(field))
                .forEach(field -> say("the field %s of %s may be absent now", field, place));
        now.stream()
                .filter(field -> !before.contains(field))
                .forEach(field ->
                        say("the field %s of %s must be there now, and older records have it not", field, place));
    }

    private void say(String sentence, Object... about) {
        breaks.add(sentence.formatted(about));
    }

    private static String told(JsonNode value) {
        return value.isMissingNode() ? "nothing" : value.toString();
    }

    static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asText).toList();
    }
}
