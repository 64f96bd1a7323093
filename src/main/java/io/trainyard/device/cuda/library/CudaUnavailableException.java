package io.trainyard.device.cuda.library;

/// Why there is no CUDA device, and what to do about it.
final class CudaUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    CudaUnavailableException(String reason) {
        super(reason);
        this.reason = reason;
    }

    CudaUnavailableException(String reason, Throwable cause) {
        super(reason, cause);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
