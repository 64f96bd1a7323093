package io.trainyard.tracking;

import java.time.LocalDate;

/// On which days, and by what.
///
/// @param from the first day, in UTC
/// @param to the last day
public record UsageQuery(LocalDate from, LocalDate to, By by) {
    public enum By {
        DAY("CAST(uses.start_millis / 86400000 AS TEXT)", "CAST(day AS TEXT)"),
        DEVICE("uses.device", "device"),
        DATASET("COALESCE(jobs.dataset, '')", "dataset"),
        NETWORK("COALESCE(jobs.network, '')", "network"),
        WORKER("uses.worker", "CAST('' AS TEXT)"),
        /// What the job is now.
        STATE("jobs.status", "status");

        private final String column;
        private final String forgottenColumn;

        By(String column, String forgottenColumn) {
            this.column = column;
            this.forgottenColumn = forgottenColumn;
        }

        /// What a use is told by; of a day, the one that it began on.
        String column() {
            return column;
        }

        /// The same of jobs that are forgotten.
        String forgottenColumn() {
            return forgottenColumn;
        }
    }
}
