package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What somebody wishes of a job. The newest of a job is what holds; it replaces what was wished before.
///
/// @param job the job's id
/// @param priority how urgent the job is from now on; null: as it was asked for
/// @param time when it was wished
/// @param runOn whether the job runs on where its `asha` would have it rest; null: it does not
@JsonIgnoreProperties(ignoreUnknown = true)
public record Control(
        String job,
        Wish wish,
        @Nullable Urgency priority,
        Instant time,
        @Nullable Boolean runOn) {
    @JsonCreator
    public Control {}

    /// Where its `asha` says so, it rests.
    public Control(String job, Wish wish, @Nullable Urgency priority, Instant time) {
        this(job, wish, priority, time, null);
    }

    /// Whether it runs on at rungs.
    @JsonIgnore
    public boolean isRunOn() {
        return Boolean.TRUE.equals(runOn);
    }

    /// What is to become of the job.
    public enum Wish {
        /// It runs, or waits for a worker: what every job does of which nothing else was wished.
        @JsonProperty("run")
        RUN,
        /// It rests at its next step boundary, with a checkpoint.
        @JsonProperty("pause")
        PAUSE,
        /// It ends at its next step boundary.
        @JsonProperty("cancel")
        CANCEL
    }

    public enum Urgency {
        @JsonProperty("high")
        HIGH,
        @JsonProperty("normal")
        NORMAL,
        @JsonProperty("low")
        LOW
    }
}
