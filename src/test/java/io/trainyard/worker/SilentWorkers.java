package io.trainyard.worker;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Suppresses the workers' log, which is long in worlds full of faults: use it with `@ExtendWith`.
final class SilentWorkers implements BeforeAllCallback, AfterAllCallback {
    private static final Logger LOG = Logger.getLogger("io.trainyard");

    private @Nullable Level before;

    @Override
    public void beforeAll(ExtensionContext context) {
        before = LOG.getLevel();
        LOG.setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        LOG.setLevel(before);
    }
}
