package io.trainyard.tracking;

import io.trainyard.event.JobState.Status;
import java.util.Locale;
import java.util.Set;

/// A filter, an order and a page of jobs. Empty filters match all jobs.
///
/// @param text part of the id, dataset, network or worker, ignoring case
/// @param descending whether the greatest value comes first; jobs without a value come last in both orders
/// @param limit the maximum number of jobs
/// @param offset the number of jobs to skip
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
        SUBMITTED("submitted_millis"),
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

    /// The jobs of a group, in the order in which they were first seen.
    public static JobQuery ofGroup(String group, int limit) {
        return new JobQuery(Set.of(), "", "", group, "", Sort.SUBMITTED, false, limit, 0);
    }

    public static JobQuery newest(int limit) {
        return new JobQuery(Set.of(), "", "", Sort.SUBMITTED, true, limit, 0);
    }

    public JobQuery page(int size, int from) {
        return new JobQuery(statuses, text, tag, group, project, sort, descending, size, from);
    }

    /// The same query, limited to a project.
    ///
    /// @param its the project's name; empty for any
    public JobQuery ofProject(String its) {
        return new JobQuery(statuses, text, tag, group, its, sort, descending, limit, offset);
    }

    /// A pattern for LIKE, with `!` as escape character.
    String pattern() {
        return "%" + text.toLowerCase(Locale.ROOT).replaceAll("[!%_]", "!$0") + "%";
    }

    /// Jobs with equal values are ordered by their number, so that pages do not overlap.
    String order() {
        String direction = descending ? "DESC" : "ASC";
        return "%s %s NULLS LAST, number %s".formatted(sort.column, direction, direction);
    }
}
