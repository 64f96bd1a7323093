package io.trainyard.device.cuda;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/// Says with which seed a test failed on the double: with the same one it fails again.
final class SeedOfFailure implements TestExecutionExceptionHandler {
    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        failure.addSuppressed(new SeedException(NativeDouble.SEED + "=" + NativeDouble.seed()));
        throw failure;
    }

    /// Not thrown: it is told with the failure.
    private static final class SeedException extends Exception {
        private static final long serialVersionUID = 1L;

        SeedException(String message) {
            super(message, null, false, false);
        }
    }
}
