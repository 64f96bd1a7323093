package io.trainyard.checkpoint;

import java.util.UUID;

/// The keys and the identity of a store.
final class StoreKeys {
    /// Keys cannot begin with a dot, so no job can use it.
    static final String IDENTITY = ".store-id";

    private static final String KEY = "[A-Za-z0-9][A-Za-z0-9._~-]*(/[A-Za-z0-9][A-Za-z0-9._~-]*)*";
    private static final String UUID_FORM = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    private StoreKeys() {}

    /// Validates a key as a second check. The ids in it were already validated.
    ///
    /// @throws CheckpointException if it is invalid
    static String require(String key) {
        if (!key.matches(KEY)) {
            throw new CheckpointException("\"%s\" is not a key of a checkpoint store".formatted(key));
        }
        return key;
    }

    static String newIdentity() {
        return UUID.randomUUID().toString();
    }

    /// @param kept the stored identity
    /// @param where for the message
    static String requireIdentity(String kept, Object where) {
        if (!kept.matches(UUID_FORM)) {
            throw new CheckpointException(
                    "%s has %d characters that are not a UUID; delete it, and restart all workers of this store"
                            .formatted(where, kept.length()));
        }
        return kept;
    }
}
