package io.trainyard.tracking;

import java.time.LocalDate;

/// A range of days, and the property by which device time is grouped.
///
/// @param from the first day, in UTC
/// @param to the last day, in UTC
public record UsageQuery(LocalDate from, LocalDate to, By by) {
    public enum By {
        DAY("CAST(uses.start_millis / 86400000 AS TEXT)", "CAST(day AS TEXT)"),
        DEVICE("uses.device", "device"),
        DATASET("COALESCE(jobs.dataset, '')", "dataset"),
        NETWORK("COALESCE(jobs.network, '')", "network"),
        WORKER("uses.worker", "CAST('' AS TEXT)"),
        /// The current status of the job.
        STATE("jobs.status", "status");

        private final String column;
        private final String forgottenColumn;

        By(String column, String forgottenColumn) {
            this.column = column;
            this.forgottenColumn = forgottenColumn;
        }

        /// The column for the group of a use. A use belongs to the day on which it began.
        String column() {
            return column;
        }

        /// The corresponding column for deleted jobs.
        String forgottenColumn() {
            return forgottenColumn;
        }
    }
}
