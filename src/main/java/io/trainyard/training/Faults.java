package io.trainyard.training;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.StoreException;
import io.trainyard.data.DatasetAwayException;
import io.trainyard.data.DatasetException;
import io.trainyard.device.DeviceBusyException;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceLostException;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.DevicePrecisionException;
import io.trainyard.event.FailureCause;
import io.trainyard.spec.InvalidJobException;

/// Whose fault it is that an attempt ends, and how it is told.
final class Faults {
    private Faults() {}

    /// Whether another worker may well do what this one could not: its data set, its store, its device, what that
    /// computes in, its memory or a native library is to blame. All else is the job's.
    static boolean isWorkers(Throwable cause) {
        return switch (cause) {
            case DatasetException _, StoreException _ -> true;
            case DeviceBusyException _, DeviceLostException _, DeviceMemoryException _, DevicePrecisionException _ ->
                true;
            case OutOfMemoryError _, LinkageError _ -> true;
            default -> false;
        };
    }

    /// Whether this worker has not got what the job needs, and trying again will not bring it.
    static boolean isLacking(Throwable cause) {
        return switch (cause) {
            case DatasetAwayException _ -> false;
            case DatasetException _, DeviceException _, LinkageError _ -> true;
            default -> false;
        };
    }

    /// Whether the message is a sentence for a person that leaves nothing to ask.
    static boolean saysAll(Throwable cause) {
        return switch (cause) {
            case DeviceException _, DivergedException _, InvalidJobException _ -> true;
            case CheckpointException e -> e.getCause() == null;
            default -> false;
        };
    }

    /// For which kind of reason a job fails that fails with this.
    static FailureCause failure(Throwable cause) {
        return switch (cause) {
            case DivergedException _ -> FailureCause.DIVERGED;
            case InvalidJobException _, DeviceException _ -> FailureCause.IMPOSSIBLE;
            case CheckpointException _ -> FailureCause.CHECKPOINT;
            case BrokeOffException _ -> FailureCause.BROKE_OFF;
            default -> FailureCause.OTHER;
        };
    }

    /// What a person is told: an exception's message. Of an error, unless memory is short, it says little without
    /// the error's name.
    static String reason(Throwable cause) {
        if (cause instanceof Error && !(cause instanceof OutOfMemoryError)) {
            return cause.toString();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
