package io.trainyard.tracking;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Empty databases of both kinds. PostgreSQL starts once, and ends with the JVM.
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

    /// The URL of a new database.
    public abstract String empty();

    private static final class Postgres {
        private static final AtomicInteger MADE = new AtomicInteger();
        private static @Nullable EmbeddedPostgres server;

        /// Skips the test on systems without PostgreSQL's binaries, which are for x86-64, or if root may not start
        /// it; fails it if CI=true.
        private static synchronized EmbeddedPostgres server() {
            if (server == null) {
                try {
                    server = start();
                } catch (UncheckedIOException | IllegalStateException e) {
                    boolean required =
                            "true".equals(System.getenv("CI")) && "amd64".equals(System.getProperty("os.arch"));
                    assumeTrue(required, "PostgreSQL does not start here: " + e.getMessage());
                    throw e;
                }
            }
            return server;
        }

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
            try (var connection = server().getPostgresDatabase().getConnection();
                    var statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE " + name);
                return server().getJdbcUrl("postgres", name);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
