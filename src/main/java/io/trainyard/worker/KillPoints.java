package io.trainyard.worker;

import org.jspecify.annotations.Nullable;

/// Places at which a process may be made to end, as by `kill -9`, or to stand still, as by `SIGSTOP`: how fault
/// tests reach windows of a millisecond. Set with `-Dtrainyard.killpoint=NAME` (`NAME:stop` to stand still);
/// without it nothing is here.
final class KillPoints {
    static final String POLLED = "polled";
    static final String ATTEMPT_CREATED = "attempt-created";
    static final String IN_CUSTODY = "in-custody";
    static final String ACCEPTED = "accepted";
    static final String OUTCOME_TOLD = "outcome-told";

    private static final String PROPERTY = "trainyard.killpoint";
    private static final String STOP = ":stop";

    private final @Nullable String name;
    private final boolean stop;

    private KillPoints(@Nullable String name, boolean stop) {
        this.name = name;
        this.stop = stop;
    }

    static KillPoints ofProcess() {
        String value = System.getProperty(PROPERTY);
        boolean stop = value != null && value.endsWith(STOP);
        return new KillPoints(stop ? value.substring(0, value.length() - STOP.length()) : value, stop);
    }

    /// Ends the process here, or has it stand still, if that was asked for.
    void reach(String point) {
        if (!point.equals(name)) {
            return;
        }
        long self = ProcessHandle.current().pid();
        try {
            new ProcessBuilder("kill", stop ? "-STOP" : "-KILL", Long.toString(self))
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (java.io.IOException e) {
            throw new IllegalStateException("the process cannot be ended at " + point, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
