package io.trainyard.worker;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Places at which a process may be made to end, as by `kill -9`, or to stand still, as by `SIGSTOP`: how fault
/// tests reach windows of a millisecond. Set with `-Dkillpoint=NAME`, such as `attempt-created`; with
/// `NAME#3` it happens when the place is reached for the third time, with `NAME:stop` or `NAME#3:stop` the process
/// stands still. Without the property nothing is here.
enum KillPoint {
    /// A command was handed out.
    POLLED,
    /// The store has the attempt, and nobody has heard of it.
    ATTEMPT_CREATED,
    /// The trials of a sweep are with the brokers, and the sweep has no end yet.
    TRIALS_PUBLISHED,
    /// Custody is written, and the command not accepted.
    IN_CUSTODY,
    /// The client is about to send an ACCEPT: of a claim, or of a command that is settled otherwise.
    ACCEPTING,
    /// The command is accepted, and nothing trains yet.
    ACCEPTED,
    /// A checkpoint's files are in the store, without a manifest; see [KillPointStore].
    FILES_WRITTEN,
    /// A checkpoint counts, and was not told.
    MANIFEST_WRITTEN,
    /// The store has the job's result at a rung, and nobody has decided by it.
    RESULT_KEPT,
    /// The store has the job's outcome.
    OUTCOME_KEPT,
    /// The outcome is about to be sent to the brokers.
    OUTCOME_TELLING,
    /// The brokers have the outcome, and custody goes on.
    OUTCOME_TOLD;

    static final String PROPERTY = "killpoint";

    private static final @Nullable Plan PLAN = plan(System.getProperty(PROPERTY));

    /// What happens to a process, and where.
    ///
    /// @param times how often the place is reached before, and this time
    /// @param stop whether the process stands still, and does not end
    record Plan(KillPoint at, int times, boolean stop) {
        private static final String STOP = ":stop";

        /// @throws IllegalArgumentException if it is no plan
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

    /// Whether anything is to happen to this process at one of the points.
    static boolean areSet() {
        return PLAN != null;
    }

    /// As the property calls it.
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// Ends the process here, or has it stand still, if that was asked for.
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
