package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.tracking.TrackingStore;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;

/// The loss curves of many jobs, each from where its reader has come to.
@Path("/api/v1/curves")
public class CurvesResource {
    private static final int MAX_JOBS = 100;

    private final TrackingStore store;
    private final DashboardConfig config;

    CurvesResource(TrackingStore store, DashboardConfig config) {
        this.store = store;
        this.config = config;
    }

    record Curves(Map<String, LossPoints> curves) {}

    @GET
    @Operation(
            summary = "The loss curves of several jobs, each between two steps, both inclusive",
            description =
                    "`jobs`: ids with commas between them. `from` and `to`: a step for all of them, or one for each, with commas. Jobs that are not known are left out.")
    public Curves curves(
            @QueryParam("jobs") @DefaultValue("") String jobs,
            @QueryParam("from") @DefaultValue(StepRange.FIRST_STEP) String from,
            @QueryParam("to") @DefaultValue(StepRange.ALL_STEPS) String to,
            @QueryParam("points") @DefaultValue("0") String points) {
        List<String> ids = Parameter.jobs(jobs, MAX_JOBS);
        List<String> firsts = Parameter.each("from", from, ids.size());
        List<String> lasts = Parameter.each("to", to, ids.size());
        Map<String, LossPoints> curves = new LinkedHashMap<>();
        for (int i = 0; i < ids.size(); i++) {
            String id = ids.get(i);
            StepRange range = StepRange.of(firsts.get(i), lasts.get(i), points, config.curvePoints());
            store.losses(id, range.from(), range.to(), range.buckets())
                    .ifPresent(curve -> curves.put(id, LossPoints.of(curve)));
        }
        return new Curves(curves);
    }
}
