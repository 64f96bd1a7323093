package io.trainyard.tracking;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// The tables of notes and tags, in one transaction.
///
/// @param connection of that transaction
record RemarkTables(Connection connection) {
    /// What is written beside a job.
    ///
    /// @param job its number
    Remarks find(long job) throws SQLException {
        List<String> tags = texts("SELECT tag FROM tags WHERE job = ?", job);
        List<String> notes = texts("SELECT note FROM notes WHERE job = ?", job);
        return new Remarks(tags, notes.isEmpty() ? "" : notes.getFirst());
    }

    private List<String> texts(String sql, long job) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, job);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    texts.add(rows.getString(1));
                }
            }
        }
        return texts;
    }

    /// Writes in the place of what was there.
    void put(long job, Remarks remarks) throws SQLException {
        for (String table : List.of("tags", "notes")) {
            try (PreparedStatement delete =
                    connection.prepareStatement("DELETE FROM %s WHERE job = ?".formatted(table))) {
                delete.setLong(1, job);
                delete.executeUpdate();
            }
        }
        for (String tag : remarks.tags()) {
            insert("INSERT INTO tags (job, tag) VALUES (?, ?)", job, tag);
        }
        if (!remarks.note().isEmpty()) {
            insert("INSERT INTO notes (job, note) VALUES (?, ?)", job, remarks.note());
        }
    }

    private void insert(String sql, long job, String text) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setLong(1, job);
            insert.setString(2, Database.text(text));
            insert.executeUpdate();
        }
    }
}
