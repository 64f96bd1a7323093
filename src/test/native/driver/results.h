// The results of CUDA's driver calls that the fake gives, numbered as in CUDA 13's cuda.h.
#pragma once

#include <utility>

// name, number, text of cuGetErrorString
#define TRAINYARD_RESULTS(R)                                                                       \
    R(CUDA_SUCCESS, 0, "no error")                                                                 \
    R(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                                             \
    R(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                                                \
    R(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                                       \
    R(CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down")                                         \
    R(CUDA_ERROR_DEVICE_UNAVAILABLE, 46, "CUDA-capable device(s) is/are busy or unavailable")      \
    R(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                             \
    R(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                    \
    R(CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")                             \
    R(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                                   \
    R(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, "no kernel image is available for execution on the device") \
    R(CUDA_ERROR_ECC_UNCORRECTABLE, 214, "uncorrectable ECC error encountered")                    \
    R(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217, "peer access is not supported between these two devices") \
    R(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220, "uncorrectable NVLink error detected during the execution") \
    R(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222, "the provided PTX was compiled with an unsupported toolchain.") \
    R(CUDA_ERROR_CONTAINED, 226, "an exception occurred on the device that is now contained")      \
    R(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                   \
    R(CUDA_ERROR_ILLEGAL_STATE, 401, "the operation cannot be performed in the present state")     \
    R(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                                         \
    R(CUDA_ERROR_NOT_READY, 600, "device not ready")                                               \
    R(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                 \
    R(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch")          \
    R(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated")                   \
    R(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "peer access is already enabled")               \
    R(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705, "peer access has not been enabled")                 \
    R(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708, "cannot set while device is active in this process") \
    R(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")                                \
    R(CUDA_ERROR_TOO_MANY_PEERS, 711, "peer mapping resources exhausted")                          \
    R(CUDA_ERROR_ASSERT, 710, "device-side assert triggered")                                      \
    R(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error")                                \
    R(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, "an illegal instruction was encountered")               \
    R(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                                    \
    R(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717, "operation not supported on global/shared address space") \
    R(CUDA_ERROR_INVALID_PC, 718, "invalid program counter")                                       \
    R(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                                 \
    R(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721, "tensor memory not completely freed")                    \
    R(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                                    \
    R(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803, "system has unsupported display driver / cuda driver combination") \
    R(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810, "MPS client terminated")                              \
    R(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "operation not permitted when stream is capturing") \
    R(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901, "operation failed due to a previous error during capture") \
    R(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902, "operation would result in a merge of separate capture sequences") \
    R(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903, "capture was not ended in the same stream as it began") \
    R(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904, "capturing stream has unjoined work")               \
    R(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905, "dependency created on uncaptured work in another stream") \
    R(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
    R(CUDA_ERROR_CAPTURED_EVENT, 907, "operation not permitted on an event last recorded in a capturing stream") \
    R(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908, "attempt to terminate a thread-local capture sequence from another thread") \
    R(CUDA_ERROR_EXTERNAL_DEVICE, 911, "an async error has occurred in external entity outside of CUDA") \
    R(CUDA_ERROR_UNKNOWN, 999, "unknown error")

namespace trainyard {

enum Result : int {
#define R(name, number, text) name = number,
    TRAINYARD_RESULTS(R)
#undef R
};

// Errors after which a context is lost: every later call in it fails with the same error, until the process ends.
inline bool isSticky(int result) {
    switch (result) {
        case CUDA_ERROR_ECC_UNCORRECTABLE:
        case CUDA_ERROR_NVLINK_UNCORRECTABLE:
        case CUDA_ERROR_CONTAINED:
        case CUDA_ERROR_ILLEGAL_ADDRESS:
        case CUDA_ERROR_LAUNCH_TIMEOUT:
        case CUDA_ERROR_ASSERT:
        case CUDA_ERROR_HARDWARE_STACK_ERROR:
        case CUDA_ERROR_ILLEGAL_INSTRUCTION:
        case CUDA_ERROR_MISALIGNED_ADDRESS:
        case CUDA_ERROR_INVALID_ADDRESS_SPACE:
        case CUDA_ERROR_INVALID_PC:
        case CUDA_ERROR_TENSOR_MEMORY_LEAK:
        case CUDA_ERROR_MPS_CLIENT_TERMINATED:
        case CUDA_ERROR_EXTERNAL_DEVICE:
        case CUDA_ERROR_LAUNCH_FAILED: return true;
        default: return false;
    }
}

}  // namespace trainyard
