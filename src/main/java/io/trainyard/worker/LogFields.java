package io.trainyard.worker;

import org.jboss.logging.MDC;

/// Fields of this thread's JSON log lines. The text has the same information.
final class LogFields implements AutoCloseable {
    private static final String JOB = "job";
    private static final String ATTEMPT = "attempt";
    private static final String WORKER = "worker";

    private LogFields() {}

    /// Sets the fields until this is closed by the same thread.
    static LogFields of(String job, int attempt, String worker) {
        MDC.put(JOB, job);
        MDC.put(ATTEMPT, attempt);
        MDC.put(WORKER, worker);
        return new LogFields();
    }

    @Override
    public void close() {
        MDC.remove(JOB);
        MDC.remove(ATTEMPT);
        MDC.remove(WORKER);
    }
}
