package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.trainyard.tracking.DeviceTime;
import io.trainyard.tracking.TrackingStore;
import io.trainyard.tracking.UsageQuery;
import io.trainyard.tracking.UsageQuery.By;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

@Path("/api/v1/usage")
public class UsageResource {
    private static final int MAX_DAYS = 1000;
    private static final int DEFAULT_DAYS = 7;
    private static final int MAX_ROWS = 500;
    private static final double HOUR_MILLIS = 60 * 60 * 1000;

    private final TrackingStore store;

    UsageResource(TrackingStore store) {
        this.store = store;
    }

    /// As [DeviceTime], in hours.
    record Hours(double deviceHours, double failedHours, double lostHours, long jobs, long attempts) {
        static Hours of(DeviceTime usage) {
            return new Hours(
                    usage.deviceMillis() / HOUR_MILLIS,
                    usage.failedMillis() / HOUR_MILLIS,
                    usage.lostMillis() / HOUR_MILLIS,
                    usage.jobs(),
                    usage.attempts());
        }
    }

    /// @param value that is shared; null: it is not known
    record Row(@Nullable String value, @JsonUnwrapped Hours hours) {}

    /// @param rows by day in their order, all days; else those with the most hours, the most first
    /// @param total also of rows that are left off
    /// @param omitted how many rows
    record DeviceHours(String from, String to, String by, Hours total, List<Row> rows, int omitted) {}

    @GET
    @Operation(
            summary = "Device-hours",
            description =
                    "`from`, `to`: the first and the last day in UTC, such as 2026-11-22; without them the last 7 days. `by`: day, device (its kind), dataset, network, worker or state. Jobs and attempts are counted on the day of their start. `failedHours` belong to jobs that failed, `lostHours` to attempts whose outcome was never published.")
    public DeviceHours usage(
            @QueryParam("from") @DefaultValue("") String from,
            @QueryParam("to") @DefaultValue("") String to,
            @QueryParam("by") @DefaultValue("day") String by) {
        UsageQuery query = query(from, to, Parameter.name("by", by, By.class));
        Map<String, DeviceTime> found = store.usage(query);
        List<Row> rows = rows(query, found);
        int shown = query.by() == By.DAY ? MAX_DAYS : MAX_ROWS;
        return new DeviceHours(
                query.from().toString(),
                query.to().toString(),
                query.by().name().toLowerCase(Locale.ROOT),
                Hours.of(found.values().stream().reduce(DeviceTime.NONE, DeviceTime::plus)),
                rows.stream().limit(shown).toList(),
                Math.max(0, rows.size() - shown));
    }

    private static UsageQuery query(String from, String to, By by) {
        LocalDate last = to.isEmpty() ? LocalDate.now(ZoneOffset.UTC) : Parameter.day("to", to);
        LocalDate first = from.isEmpty() ? last.minusDays(DEFAULT_DAYS - 1) : Parameter.day("from", from);
        long days = ChronoUnit.DAYS.between(first, last) + 1;
        if (days < 1 || days > MAX_DAYS) {
            throw Problem.badRequest("from is %s and to is %s, which are %d days; allowed is 1 to %d"
                    .formatted(first, last, Math.max(0, days), MAX_DAYS));
        }
        return new UsageQuery(first, last, by);
    }

    private static List<Row> rows(UsageQuery query, Map<String, DeviceTime> found) {
        Stream<Row> rows = query.by() == By.DAY
                ? query.from()
                        .datesUntil(query.to().plusDays(1))
                        .map(LocalDate::toString)
                        .map(day -> row(day, found.getOrDefault(day, DeviceTime.NONE)))
                : found.entrySet().stream()
                        .map(group -> row(group.getKey(), group.getValue()))
                        .sorted(Comparator.comparingDouble(
                                        (Row row) -> row.hours().deviceHours())
                                .reversed());
        return rows.toList();
    }

    private static Row row(String value, DeviceTime usage) {
        return new Row(value.isEmpty() ? null : value, Hours.of(usage));
    }
}
