package io.trainyard.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// The Grafana dashboards in their files.
final class Grafana {
    private static final Path FOLDER = Path.of("grafana", "dashboards");

    private Grafana() {}

    static Stream<Board> boards() {
        return Stream.of("fleet", "job", "worker", "kafka").map(Grafana::board);
    }

    private static Board board(String name) {
        try {
            return new Board(
                    name,
                    new ObjectMapper().readTree(FOLDER.resolve(name + ".json").toFile()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /// A dashboard.
    ///
    /// @param name of its file
    record Board(String name, JsonNode json) {
        List<Panel> panels() {
            return elements(json.path("panels"))
                    .filter(panel -> !panel.path("type").asText().equals("row"))
                    .map(panel -> new Panel(this, panel))
                    .toList();
        }

        /// Whether its panels query the tracking store; the others query Prometheus.
        boolean isSql() {
            return name.equals("job");
        }

        List<JsonNode> variables() {
            return elements(json.path("templating").path("list")).toList();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /// A panel with its queries.
    record Panel(Board board, JsonNode json) {
        String title() {
            return json.path("title").asText();
        }

        List<String> questions() {
            List<String> questions = new ArrayList<>();
            elements(json.path("targets"))
                    .map(target ->
                            target.path(board.isSql() ? "rawSql" : "expr").asText())
                    .forEach(questions::add);
            return questions;
        }

        @Override
        public String toString() {
            return board.name() + ": " + title();
        }
    }

    static Stream<JsonNode> elements(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }
}
