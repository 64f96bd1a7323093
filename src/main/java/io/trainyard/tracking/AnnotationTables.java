package io.trainyard.tracking;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/// Accesses the tables of notes and tags in one transaction.
record AnnotationTables(Connection connection) {
    /// The tags and the note of a job.
    ///
    /// @param job its number
    Annotations find(long job) throws SQLException {
        List<String> tags = texts("SELECT tag FROM tags WHERE job = ?", job);
        List<String> notes = texts("SELECT note FROM notes WHERE job = ?", job);
        return new Annotations(tags, notes.isEmpty() ? "" : notes.getFirst());
    }

    private List<String> texts(String sql, long job) throws SQLException {
        return Sql.list(connection, sql, List.of(job), row -> row.getString(1));
    }

    void put(long job, Annotations remarks) throws SQLException {
        for (String table : List.of("tags", "notes")) {
            Sql.update(connection, "DELETE FROM %s WHERE job = ?".formatted(table), job);
        }
        for (String tag : remarks.tags()) {
            Sql.update(connection, "INSERT INTO tags (job, tag) VALUES (?, ?)", job, tag);
        }
        if (!remarks.note().isEmpty()) {
            Sql.update(connection, "INSERT INTO notes (job, note) VALUES (?, ?)", job, remarks.note());
        }
    }
}
