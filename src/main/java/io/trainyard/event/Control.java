package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A control request for a job. The newest request counts and replaces earlier ones.
///
/// @param priority the new priority; null keeps the priority of the command
/// @param skipRungs whether the job continues at rungs where its `asha` would pause it; null means no
@JsonIgnoreProperties(ignoreUnknown = true)
public record Control(
        String job,
        DesiredState desiredState,
        @Nullable RequestedPriority priority,
        Instant time,
        @Nullable Boolean skipRungs) {
    @JsonCreator
    public Control {}

    public Control(String job, DesiredState desiredState, @Nullable RequestedPriority priority, Instant time) {
        this(job, desiredState, priority, time, null);
    }

    @JsonIgnore
    public boolean skipsRungs() {
        return Boolean.TRUE.equals(skipRungs);
    }

    public enum DesiredState {
        /// The job runs or waits for a worker. This is the default.
        @JsonProperty("run")
        RUN,
        /// The job is paused at its next step boundary, with a checkpoint.
        @JsonProperty("pause")
        PAUSE,
        /// The job is cancelled at its next step boundary.
        @JsonProperty("cancel")
        CANCEL
    }

    public enum RequestedPriority {
        @JsonProperty("high")
        HIGH,
        @JsonProperty("normal")
        NORMAL,
        @JsonProperty("low")
        LOW
    }
}
