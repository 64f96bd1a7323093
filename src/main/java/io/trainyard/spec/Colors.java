package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonProperty;

/// What pictures become when they are read, whatever they are.
public enum Colors {
    /// Three channels: red, green, blue.
    @JsonProperty("rgb")
    RGB,
    @JsonProperty("grey")
    GREY
}
