package io.trainyard.tracking;

import io.trainyard.event.JobState.Status;
import java.util.Locale;
import java.util.Set;

/// Which jobs, in which order, how many.
///
/// @param statuses in one of which they are; empty: any
/// @param text that is in their id, data set, network or worker, whatever the case; empty: any
/// @param tag that they have; empty: any
/// @param group whose they are; empty: any
/// @param project whose they are; empty: any
/// @param descending the greatest first; jobs that have no such value come last
/// @param limit how many at most
/// @param offset how many are passed over
public record JobQuery(
        Set<Status> statuses,
        String text,
        String tag,
        String group,
        String project,
        Sort sort,
        boolean descending,
        int limit,
        int offset) {
    public enum Sort {
        JOB("job"),
        STATE("status"),
        HEARD("heard_millis"),
        START("start_millis"),
        DURATION("duration_millis"),
        DATASET("dataset"),
        NETWORK("network"),
        STEP("step"),
        LOSS("loss"),
        TEST_LOSS("test_loss"),
        ACCURACY("accuracy");

        private final String column;

        Sort(String column) {
            this.column = column;
        }
    }

    public JobQuery {
        statuses = Set.copyOf(statuses);
    }

    public JobQuery(
            Set<Status> statuses, String text, String tag, Sort sort, boolean descending, int limit, int offset) {
        this(statuses, text, tag, "", "", sort, descending, limit, offset);
    }

    /// The jobs of a group, in the order in which they were first heard of.
    public static JobQuery ofGroup(String group, int limit) {
        return new JobQuery(Set.of(), "", "", group, "", Sort.HEARD, false, limit, 0);
    }

    public static JobQuery newest(int limit) {
        return new JobQuery(Set.of(), "", "", Sort.HEARD, true, limit, 0);
    }

    public JobQuery page(int size, int from) {
        return new JobQuery(statuses, text, tag, group, project, sort, descending, size, from);
    }

    /// Of them those of a project.
    ///
    /// @param its name; empty: any
    public JobQuery ofProject(String its) {
        return new JobQuery(statuses, text, tag, group, its, sort, descending, limit, offset);
    }

    /// As LIKE has it, with `!` before what is meant literally.
    String pattern() {
        return "%" + text.toLowerCase(Locale.ROOT).replaceAll("[!%_]", "!$0") + "%";
    }

    /// Among equals the order is that of their numbers, so that pages fit together.
    String order() {
        String direction = descending ? "DESC" : "ASC";
        return "%s %s NULLS LAST, number %s".formatted(sort.column, direction, direction);
    }
}
