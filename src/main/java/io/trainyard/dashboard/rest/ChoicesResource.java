package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.data.Datasets;
import io.trainyard.spec.BuiltInNetworks;
import io.trainyard.spec.JobJson;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.TrackingStore;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import org.eclipse.microprofile.openapi.annotations.Operation;

/// What a form for a new job offers.
@Path("/api/v1/choices")
public class ChoicesResource {
    private static final String JOB = """
            {"id": "new", "network": "fashion", "dataset": "shapes28", "epochs": 5, "optimizer": {"type": "%s", "learningRate": %s}}""";

    private static final int NEWEST = 500;

    private final TrackingStore store;
    private final ObjectMapper mapper;

    ChoicesResource(TrackingStore store, ObjectMapper mapper) {
        this.store = store;
        this.mapper = mapper;
    }

    /// @param datasets built-in ones and those of the newest jobs
    /// @param optimizers one of each type, with all defaults
    /// @param defaults a job with all defaults
    record Choices(List<String> networks, SortedSet<String> datasets, List<JsonNode> optimizers, JsonNode defaults) {}

    @GET
    @Operation(summary = "Networks, datasets and optimizers for a new job, and the defaults of its fields")
    public Choices choices() throws JsonProcessingException {
        SortedSet<String> datasets = new TreeSet<>(Datasets.names());
        store.jobs(JobQuery.newest(NEWEST)).jobs().stream()
                .map(JobSummary::dataset)
                .filter(Objects::nonNull)
                .forEach(datasets::add);
        List<JsonNode> optimizers = new ArrayList<>();
        for (String type : List.of("sgd", "adam", "adamw", "rmsprop")) {
            optimizers.add(job(type).get("optimizer"));
        }
        return new Choices(BuiltInNetworks.names(), datasets, optimizers, job("sgd"));
    }

    private JsonNode job(String optimizer) throws JsonProcessingException {
        String json = JOB.formatted(optimizer, optimizer.equals("sgd") ? "0.1" : "0.001");
        return mapper.readTree(JobJson.write(JobJson.read(json.getBytes(StandardCharsets.UTF_8))));
    }
}
