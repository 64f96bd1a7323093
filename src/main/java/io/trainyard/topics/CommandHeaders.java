package io.trainyard.topics;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;

/// The headers that a command may have; all but the first it has once a worker has published it anew. All are text,
/// and none is needed.
public final class CommandHeaders {
    /// The [contract][io.trainyard.spec.JobContract] that the command was written for: what a worker does not know in
    /// one that is newer than what it understands is left to newer workers; without it, it is a mistake.
    public static final String CONTRACT = "trainyard-contract";

    /// The attempt that is asked for; without it, the first.
    public static final String ATTEMPT = "trainyard-attempt";

    /// The identity of the store that has the job's attempts and checkpoints.
    public static final String STORE = "trainyard-store";

    /// The workers that could not run the job, and why: a JSON list of objects with `worker` and `reason`.
    public static final String REFUSALS = "trainyard-refusals";

    /// The most bytes of any of them, and of a `traceparent`, that are read; a longer one is as if it were not
    /// there.
    public static final int MAX_BYTES = 16 << 10;

    private CommandHeaders() {}

    public static void addContract(Headers headers, int contract) {
        headers.add(CONTRACT, Integer.toString(contract).getBytes(StandardCharsets.UTF_8));
    }
}
