package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonProperty;

/// The colour mode that images are converted to.
public enum Colors {
    /// Three channels: red, green, blue.
    @JsonProperty("rgb")
    RGB,
    @JsonProperty("grey")
    GREY
}
