package io.trainyard.tracking;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
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
