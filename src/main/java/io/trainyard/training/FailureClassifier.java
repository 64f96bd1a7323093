package io.trainyard.training;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.StoreException;
import io.trainyard.data.DatasetException;
import io.trainyard.data.DatasetUnavailableException;
import io.trainyard.device.DeviceBusyException;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceLostException;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.DevicePrecisionException;
import io.trainyard.event.FailureCause;
import io.trainyard.spec.InvalidJobException;

/// Classifies the causes of failed attempts and words them.
final class FailureClassifier {
    private FailureClassifier() {}

    /// Whether another worker may succeed: the cause is this worker's dataset, store, device, memory or native
    /// library. Everything else is the job's.
    static boolean isWorkers(Throwable cause) {
        return switch (cause) {
            case DatasetException _, StoreException _ -> true;
            case DeviceBusyException _, DeviceLostException _, DeviceMemoryException _, DevicePrecisionException _ ->
                true;
            case OutOfMemoryError _, LinkageError _ -> true;
            default -> false;
        };
    }

    /// Whether this worker cannot run the job, even if it tries again.
    static boolean isLacking(Throwable cause) {
        return switch (cause) {
            case DatasetUnavailableException _ -> false;
            case DatasetException _, DeviceException _, LinkageError _ -> true;
            default -> false;
        };
    }

    /// Whether the message is a complete sentence for a person.
    static boolean saysAll(Throwable cause) {
        return switch (cause) {
            case DeviceException _, DivergedException _, InvalidJobException _ -> true;
            case CheckpointException e -> e.getCause() == null;
            default -> false;
        };
    }

    /// The cause of failure for a job.
    static FailureCause failure(Throwable cause) {
        return switch (cause) {
            case DivergedException _ -> FailureCause.DIVERGED;
            case InvalidJobException _, DeviceException _ -> FailureCause.IMPOSSIBLE;
            case CheckpointException _ -> FailureCause.CHECKPOINT;
            case TooManyAttemptsException _ -> FailureCause.BROKE_OFF;
            default -> FailureCause.OTHER;
        };
    }

    /// The message for a person: an exception's message. An error's message needs the error's name, unless
    /// memory is short.
    static String reason(Throwable cause) {
        if (cause instanceof Error && !(cause instanceof OutOfMemoryError)) {
            return cause.toString();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
