package io.trainyard.tracking;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Accesses the table of job summaries in one transaction.
record SummaryTable(Connection connection) {
    /// Another version may have written more fields.
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /// Inserts or updates rows.
    ///
    /// @param summaries by the jobs' numbers
    void put(Map<Long, JobSummary> summaries) throws SQLException {
        Sql.batch(
                connection,
                """
                INSERT INTO summaries (job, summary) VALUES (?, ?)
                ON CONFLICT (job) DO UPDATE SET summary = excluded.summary""",
                summaries.entrySet().stream()
                        .map(each -> List.of(each.getKey(), json(each.getValue())))
                        .toList());
    }

    /// The summaries of jobs, in their order.
    List<JobSummary> of(List<Long> jobs) throws SQLException {
        if (jobs.isEmpty()) {
            return List.of(); // PostgreSQL has no empty list
        }
        Map<Long, JobSummary> found = new HashMap<>();
        Sql.each(
                connection,
                "SELECT job, summary FROM summaries WHERE job IN (%s)".formatted(Sql.marks(jobs.size())),
                0,
                jobs,
                row -> found.put(row.getLong(1), summary(row.getString(2))));
        return jobs.stream().map(found::get).toList();
    }

    private static String json(JobSummary summary) {
        try {
            return MAPPER.writeValueAsString(summary);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a summary is always writable", e);
        }
    }

    private static JobSummary summary(String json) throws SQLException {
        try {
            return MAPPER.readValue(json, JobSummary.class);
        } catch (JsonProcessingException e) {
            throw new SQLException("a job's summary cannot be read: " + json, e);
        }
    }
}
