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
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import org.eclipse.microprofile.openapi.annotations.Operation;

/// What a form for a new job offers.
@Path("/api/v1/choices")
public class ChoicesResource {
    /// SGD has no default of its learning rate, but jobs have a default optimizer.
    private static final String SGD = "{\"type\": \"sgd\", \"learningRate\": 0.01}";

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
    record Choices(
            List<String> networks, NavigableSet<String> datasets, List<JsonNode> optimizers, JsonNode defaults) {}

    @GET
    @Operation(summary = "Networks, datasets and optimizers for a new job, and the defaults of its fields")
    public Choices choices() throws JsonProcessingException {
        NavigableSet<String> datasets = new TreeSet<>(Datasets.names());
        store.jobs(JobQuery.newest(NEWEST)).jobs().stream()
                .map(JobSummary::dataset)
                .filter(Objects::nonNull)
                .forEach(datasets::add);
        List<JsonNode> optimizers = new ArrayList<>();
        optimizers.add(job(SGD).get("optimizer"));
        for (String type : List.of("adam", "adamw", "rmsprop")) {
            optimizers.add(job("{\"type\": \"%s\"}".formatted(type)).get("optimizer"));
        }
        return new Choices(BuiltInNetworks.names(), datasets, optimizers, job(SGD));
    }

    private JsonNode job(String optimizer) throws JsonProcessingException {
        byte[] json = """
                {"id": "new", "network": "fashion", "dataset": "shapes28", "epochs": 5, "optimizer": %s}""".formatted(optimizer).getBytes(StandardCharsets.UTF_8);
        return mapper.readTree(JobJson.write(JobJson.read(json)));
    }
}
