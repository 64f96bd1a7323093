package io.trainyard.training;

import io.trainyard.checkpoint.CheckpointStore;
import org.jspecify.annotations.Nullable;

/// A folder with operations that fail as those of a disk do.
class DirectoryFaultsTest extends AbstractStoreFaultsTest {
    private volatile @Nullable Trouble trouble;

    @Override
    CheckpointStore open() {
        return new FlakyStore(CheckpointStore.open(root.resolve("checkpoints").toUri()), this::fails);
    }

    private boolean fails(String key) {
        Trouble now = trouble;
        return switch (now) {
            case null -> false;
            case AWAY, HANGING -> true;
            case READ_ONLY, FULL -> !key.matches(".*/attempts/[0-9]+"); // the link is only looked for
        };
    }

    @Override
    void trouble(Trouble now) {
        trouble = now;
    }

    @Override
    void mend() {
        trouble = null;
    }
}
