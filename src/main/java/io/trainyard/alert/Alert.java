package io.trainyard.alert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// An alert.
///
/// @param about the subject, equal for each detection of the same problem: for example a job's name and step
/// @param millis when it happened, Unix time in ms
/// @param sentence for users
/// @param data for programs
public record Alert(Rule rule, String about, long millis, String sentence, Map<String, Object> data) {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    public Alert {
        data = new LinkedHashMap<>(data); // keeps the order
    }

    /// The id of the alert, equal for equal subjects.
    public String id() {
        return "msg_" + UUID.nameUUIDFromBytes((rule + "/" + about).getBytes(StandardCharsets.UTF_8));
    }

    /// The JSON body of the webhook call.
    public String body(AlertFormat format) {
        try {
            return MAPPER.writeValueAsString(
                    switch (format) {
                        case STANDARD -> {
                            Map<String, Object> content = new LinkedHashMap<>(data);
                            content.put("message", sentence);
                            Map<String, Object> body = new LinkedHashMap<>();
                            body.put("type", rule.type());
                            body.put("timestamp", Instant.ofEpochMilli(millis).toString());
                            body.put("data", content);
                            yield body;
                        }
                        case SLACK -> Map.of("text", slack(sentence));
                        case TEAMS -> Map.of("type", "message", "attachments", List.of(card(sentence)));
                    });
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("texts and numbers are always writable", e);
        }
    }

    /// Slack reads these three characters as markup, such as a mention of everyone.
    private static String slack(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /// An adaptive card. A text run is shown as it is; a text block would read Markdown in it.
    private static Map<String, Object> card(String text) {
        Map<String, Object> run = Map.of("type", "TextRun", "text", text);
        Map<String, Object> line = Map.of("type", "RichTextBlock", "inlines", List.of(run));
        return Map.of(
                "contentType",
                "application/vnd.microsoft.card.adaptive",
                "content",
                Map.of("type", "AdaptiveCard", "version", "1.2", "body", List.of(line)));
    }
}
