package io.trainyard.forecast;

/// Which of the topics of one urgency a command is on: the common one, or that of the kind of device it names.
enum Lane {
    COMMON(""),
    CPU("cpu"),
    CUDA("cuda");

    private final String kind;

    Lane(String kind) {
        this.kind = kind;
    }

    /// @param wants the kind of device that a job asks for
    static Lane of(String wants) {
        return switch (wants) {
            case "cpu" -> CPU;
            case "cuda" -> CUDA;
            default -> COMMON;
        };
    }

    /// The kind of device; empty: any.
    String kind() {
        return kind;
    }
}
