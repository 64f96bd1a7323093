package io.trainyard.worker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// The log records of a class while this is open.
public final class LogRecords implements AutoCloseable {
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final Logger logger;
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            records.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private LogRecords(Logger logger) {
        this.logger = logger;
        logger.addHandler(handler);
    }

    public static LogRecords of(Class<?> type) {
        return new LogRecords(Logger.getLogger(type.getName()));
    }

    public List<LogRecord> warnings() {
        return records.stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .toList();
    }

    public List<String> messages() {
        return records.stream().map(LogRecord::getMessage).toList();
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
