package io.trainyard.tracking;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/// A PostgreSQL database or an SQLite file with the tables of the tracking store. One transaction writes at a
/// time and does not block readers.
final class Database implements AutoCloseable {
    static final String SQLITE = "jdbc:sqlite:";
    static final String POSTGRESQL = "jdbc:postgresql:";

    private static final String SCHEMA = "classpath:io/trainyard/tracking/schema";
    private static final int CONNECTIONS = 8;
    private static final int CONNECT_MILLIS = 10_000;
    private static final int BUSY_MILLIS = 30_000;

    /// Mask for SQLite's primary result code in an extended one.
    private static final int PRIMARY_CODE = 0xff;

    private static final Set<Integer> REFUSED = Set.of(
            SQLiteErrorCode.SQLITE_TOOBIG.code,
            SQLiteErrorCode.SQLITE_CONSTRAINT.code,
            SQLiteErrorCode.SQLITE_MISMATCH.code);

    /// NUL and unpaired surrogates, which databases cannot store.
    private static final Pattern UNSTORABLE = Pattern.compile("\\x00|\\p{Cs}");

    private final HikariDataSource pool;
    private final ReentrantLock writing = new ReentrantLock();

    @FunctionalInterface
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private Database(DataSource source) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setPoolName("tracking");
        config.setMaximumPoolSize(CONNECTIONS);
        config.setConnectionTimeout(CONNECT_MILLIS);
        config.setAutoCommit(false);
        pool = new HikariDataSource(config);
    }

    /// Opens the database and creates or migrates its tables.
    ///
    /// @param url a JDBC URL: `jdbc:sqlite:FILE`, `jdbc:postgresql://HOST/DATABASE?user=...`
    /// @throws TrackingException if it cannot be opened or has tables of another application
    static Database open(String url) {
        try {
            DataSource source = source(url);
            Database database = new Database(source);
            schema(url, source).migrate();
            return database;
        } catch (TrackingException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new TrackingException("the tracking store %s cannot be opened".formatted(withoutSecrets(url)), e);
        }
    }

    private static Flyway schema(String url, DataSource source) {
        return Flyway.configure()
                .dataSource(source)
                .locations(SCHEMA)
                .placeholders(
                        url.startsWith(SQLITE)
                                ? Map.of("bytes", "BLOB", "clustered", "WITHOUT ROWID")
                                : Map.of("bytes", "BYTEA", "clustered", ""))
                .load();
    }

    /// Like [#open], but creates no file and no tables.
    ///
    /// @throws TrackingException if it cannot be opened, or does not have the tables of this version
    static Database openExisting(String url) {
        String file = withoutQuery(url).substring(url.startsWith(SQLITE) ? SQLITE.length() : 0);
        if (url.startsWith(SQLITE) && !Files.isRegularFile(Path.of(file))) {
            throw new TrackingException("there is no tracking store %s; name that of the dashboard".formatted(file));
        }
        try {
            DataSource source = source(url);
            Database database = new Database(source);
            try {
                database.read(connection -> new OffsetTable(connection).all());
                if (schema(url, source).info().pending().length > 0) {
                    throw new TrackingException(
                            "the tracking store %s has tables of an earlier version; start the dashboard of this version once, which migrates them"
                                    .formatted(withoutSecrets(url)));
                }
                return database;
            } catch (TrackingException e) {
                database.close();
                throw e;
            }
        } catch (TrackingException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new TrackingException("the tracking store %s cannot be opened".formatted(withoutSecrets(url)), e);
        }
    }

    private static DataSource source(String url) {
        if (url.startsWith(SQLITE)) {
            return sqlite(url);
        }
        if (url.startsWith(POSTGRESQL)) {
            return postgresql(url);
        }
        throw new TrackingException("the tracking store is \"%s\"; allowed are %sFILE and %s//HOST/DATABASE"
                .formatted(withoutSecrets(url), SQLITE, POSTGRESQL));
    }

    private static String withoutQuery(String url) {
        return url.replaceFirst("\\?.*", "");
    }

    /// Removes passwords, which may be in the query or, as in URLs of other databases, before the host.
    private static String withoutSecrets(String url) {
        return withoutQuery(url).replaceFirst("//[^/@]*@", "//");
    }

    /// Readers see committed data while a transaction writes. A crash of the machine, but not of the process,
    /// may lose the last transactions including their offsets. Their records are then read again.
    private static DataSource sqlite(String url) {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.NORMAL);
        config.setTransactionMode(SQLiteConfig.TransactionMode.DEFERRED);
        config.setBusyTimeout(BUSY_MILLIS);
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl(url);
        return source;
    }

    private static DataSource postgresql(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        try {
            source.setUrl(url);
        } catch (IllegalArgumentException _) { // its message contains the URL with the password
            throw new TrackingException("the tracking store is \"%s\"; allowed is %s//HOST:PORT/DATABASE?user=NAME"
                    .formatted(withoutSecrets(url), POSTGRESQL));
        }
        source.setReWriteBatchedInserts(true);
        return source;
    }

    /// Replaces characters that databases cannot store. They are possible because any client can write to a
    /// topic.
    static @Nullable String text(@Nullable String any) {
        return any == null ? null : UNSTORABLE.matcher(any).replaceAll("\uFFFD");
    }

    <T> T read(Work<T> work) {
        try (Connection connection = pool.getConnection()) {
            try {
                return work.on(connection);
            } finally {
                connection.rollback();
            }
        } catch (SQLException e) {
            throw new TrackingException("the tracking store cannot be read", e);
        }
    }

    /// Runs in one transaction, which is rolled back after an exception.
    ///
    /// @throws IllegalArgumentException if the database refuses the data
    /// @throws TrackingException if it fails for another reason
    <T> T write(Work<T> work) {
        writing.lock();
        try (Connection connection = pool.getConnection()) {
            try {
                T result = work.on(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException e) {
                connection.rollback();
                throw e;
            }
        } catch (SQLException e) {
            if (isOfWhatWasWritten(e)) {
                throw new IllegalArgumentException("the tracking store cannot hold it: " + e.getMessage(), e);
            }
            throw new TrackingException("the tracking store cannot be written", e);
        } finally {
            writing.unlock();
        }
    }

    /// Checks for PostgreSQL's error classes of data and constraints. SQLite has its code in the cause of a
    /// failed batch.
    private static boolean isOfWhatWasWritten(SQLException e) {
        String state = e.getSQLState();
        boolean refused = state != null && (state.startsWith("22") || state.startsWith("23"));
        for (Throwable cause = e; cause != null && !refused; cause = cause.getCause()) {
            refused = cause instanceof SQLiteException lite && REFUSED.contains(lite.getErrorCode() & PRIMARY_CODE);
        }
        return refused;
    }

    @Override
    public void close() {
        pool.close();
    }
}
