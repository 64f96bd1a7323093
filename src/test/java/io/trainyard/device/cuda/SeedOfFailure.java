package io.trainyard.device.cuda;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/// Adds the seed to a failure on the fake CUDA libraries. The same seed reproduces it.
final class SeedOfFailure implements TestExecutionExceptionHandler {
    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        failure.addSuppressed(new SeedException(FakeCudaLibraries.SEED + "=" + FakeCudaLibraries.seed()));
        throw failure;
    }

    /// Never thrown, only attached to the failure.
    private static final class SeedException extends Exception {
        private static final long serialVersionUID = 1L;

        SeedException(String message) {
            super(message, null, false, false);
        }
    }
}
