package io.trainyard.worker;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Points at which a process ends, as with `kill -9`, or stops, as with `SIGSTOP`, so that fault tests can hit
/// windows of a millisecond. Set with `-Dkillpoint=NAME`, for example `attempt-created`; `NAME#3` is the third
/// time, `NAME:stop` and `NAME#3:stop` stop the process. Without the property nothing happens.
enum KillPoint {
    POLLED,
    /// The store has the attempt; nothing was published.
    ATTEMPT_CREATED,
    /// The brokers have the trials of a sweep; the sweep has no end yet.
    TRIALS_PUBLISHED,
    /// The ownership is published; the command is not accepted.
    OWNERSHIP_PUBLISHED,
    /// The client is about to send an ACCEPT, for a claim or another disposition.
    ACCEPTING,
    /// The command is accepted; training has not begun.
    ACCEPTED,
    /// The store has a checkpoint's files but not its manifest; see [KillPointStore].
    FILES_WRITTEN,
    /// The store has the manifest; the event is not published.
    MANIFEST_WRITTEN,
    /// The store has the job's result at a rung; no decision was made.
    RESULT_STORED,
    /// The store has the job's end.
    OUTCOME_STORED,
    /// The end is about to be published.
    PUBLISHING_OUTCOME,
    /// The brokers have the end; the ownership remains.
    OUTCOME_PUBLISHED;

    static final String PROPERTY = "killpoint";

    private static final @Nullable Plan PLAN = plan(System.getProperty(PROPERTY));

    /// What happens to a process, and where.
    ///
    /// @param times which time the point is reached
    /// @param stop whether the process stops instead of ending
    record Plan(KillPoint at, int times, boolean stop) {
        private static final String STOP = ":stop";

        /// @throws IllegalArgumentException if the text is invalid
        static Plan parse(String text) {
            boolean stop = text.endsWith(STOP);
            String[] parts = (stop ? text.substring(0, text.length() - STOP.length()) : text).split("#", 2);
            return new Plan(named(parts[0]), parts.length == 1 ? 1 : Integer.parseInt(parts[1]), stop);
        }

        private static KillPoint named(String name) {
            return Arrays.stream(values())
                    .filter(point -> point.label().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("%s is \"%s\"; allowed is one of %s"
                            .formatted(
                                    PROPERTY,
                                    name,
                                    Arrays.stream(values())
                                            .map(KillPoint::label)
                                            .collect(Collectors.joining(", ")))));
        }
    }

    private final AtomicInteger reached = new AtomicInteger();

    private static @Nullable Plan plan(@Nullable String property) {
        return property == null ? null : Plan.parse(property);
    }

    static boolean areSet() {
        return PLAN != null;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    void reach() {
        Plan plan = PLAN;
        if (plan == null || plan.at() != this || reached.incrementAndGet() != plan.times()) {
            return;
        }
        String self = Long.toString(ProcessHandle.current().pid());
        try {
            var _ = new ProcessBuilder("kill", plan.stop() ? "-STOP" : "-KILL", self)
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new IllegalStateException("the process cannot be ended at " + label(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
