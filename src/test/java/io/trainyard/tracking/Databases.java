package io.trainyard.tracking;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/// Empty databases of both kinds. PostgreSQL is started once, and ends with the JVM.
public enum Databases {
    SQLITE {
        @Override
        public String empty() {
            try {
                Path file = Files.createTempFile("tracking", ".db");
                file.toFile().deleteOnExit();
                return Database.SQLITE + file;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    },
    POSTGRESQL {
        @Override
        public String empty() {
            return Postgres.empty();
        }
    };

    /// The address of a new one.
    public abstract String empty();

    /// What each version added, undone.
    private static final NavigableMap<Integer, List<String>> UNDONE = new TreeMap<>(Map.of(
            3, List.of("ALTER TABLE jobs DROP COLUMN wants", "ALTER TABLE jobs DROP COLUMN topic"),
            4, List.of("DROP TABLE device_uses", "DROP TABLE forgotten_uses"),
            6, List.of("DROP TABLE submitters"),
            5, List.of("ALTER TABLE jobs DROP COLUMN test_loss"),
            7, List.of("DROP INDEX jobs_by_project", "ALTER TABLE jobs DROP COLUMN project"),
            8, List.of("DROP INDEX jobs_by_group", "ALTER TABLE jobs DROP COLUMN job_group")));

    /// Makes the tables of a store those of an older version: what was in the others is gone.
    static void undo(String url, int version) throws SQLException {
        try (var connection = DriverManager.getConnection(url);
                var statement = connection.createStatement()) {
            for (var newer : UNDONE.tailMap(version, false).descendingMap().entrySet()) {
                for (String sql : newer.getValue()) {
                    statement.execute(sql);
                }
                statement.execute("DELETE FROM flyway_schema_history WHERE version = '%d'".formatted(newer.getKey()));
            }
        }
    }

    private static final class Postgres {
        private static final EmbeddedPostgres SERVER = start();
        private static final AtomicInteger MADE = new AtomicInteger();

        private static EmbeddedPostgres start() {
            try {
                EmbeddedPostgres server = EmbeddedPostgres.start();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    try {
                        server.close();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }));
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        static String empty() {
            String name = "tracking" + MADE.incrementAndGet();
            try (var connection = SERVER.getPostgresDatabase().getConnection();
                    var statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE " + name);
                return SERVER.getJdbcUrl("postgres", name);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
