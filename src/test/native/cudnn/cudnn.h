// Descriptors, handles and statuses of fake cuDNN, numbered as in cuDNN 9's headers.
#pragma once

#include <vector>

#include "../driver/fake.h"
#include "../loops/numbers.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

// name, number
#define TRAINYARD_DNN_STATUSES(S)                             \
    S(CUDNN_STATUS_SUCCESS, 0)                                \
    S(CUDNN_STATUS_NOT_INITIALIZED, 1001)                     \
    S(CUDNN_STATUS_BAD_PARAM, 2000)                           \
    S(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, 2001)             \
    S(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, 2002)              \
    S(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, 2003)        \
    S(CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND, 2005)              \
    S(CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT, 2006)         \
    S(CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH, 2007)           \
    S(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, 2008)            \
    S(CUDNN_STATUS_NOT_SUPPORTED, 3000)                       \
    S(CUDNN_STATUS_NOT_SUPPORTED_SHAPE, 3002)                 \
    S(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, 3003)             \
    S(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, 3004)                \
    S(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH, 3007)         \
    S(CUDNN_STATUS_INTERNAL_ERROR, 4000)                      \
    S(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, 4003) \
    S(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, 4004) \
    S(CUDNN_STATUS_EXECUTION_FAILED, 5000)                    \
    S(CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER, 5001)        \
    S(CUDNN_STATUS_EXECUTION_FAILED_CUBLAS, 5002)             \
    S(CUDNN_STATUS_EXECUTION_FAILED_CUDART, 5003)

namespace trainyard::dnn {

enum Status : int {
#define S(name, number) name = number,
    TRAINYARD_DNN_STATUSES(S)
#undef S
};

constexpr size_t HANDLE_BYTES = 1 << 20, CODE_BYTES = 16 << 20;  // of the device, for cuDNN itself

struct Handle {
    Context* context;
    Stream* stream = nullptr;
};

// Sizes and strides in elements, in the order samples, channels, rows, columns.
struct Tensor {
    Number number = Number::FLOAT;
    int size[4]{};
    int stride[4]{};

    size_t elements() const { return size_t(1) * size[0] * size[1] * size[2] * size[3]; }
    size_t bytes() const;
    // Where there is one channel, or one pixel, both layouts are the same.
    bool mayBe(bool channelsLast) const {
        return size[1] == 1 || size[2] * size[3] == 1 || (stride[1] == 1) == channelsLast;
    }
};

// Each kind's living descriptors.
template <class Kind>
Handles<Kind>& living() {
    static auto& handles = *new Handles<Kind>("cudnnDescriptor");
    return handles;
}

Handles<Handle>& handles();

inline void require(bool condition, int status, const char* why) {
    if (!condition) throw Failure{status, why};
}

// A handle; its device is current on this thread.
Handle& requireHandle(Handle* handle);

// Device memory that holds the whole tensor.
Range requireMemory(Handle& handle, const void* pointer, size_t bytes, const char* what);

int status(const Failure& failure);

template <class Body>
int call(const char* name, Body body) {
    if (int injected = called(name); injected != 0) return injected;
    try {
        body();
        return CUDNN_STATUS_SUCCESS;
    } catch (const Failure& failure) {
        report(name, status(failure), failure.why);
        return status(failure);
    }
}

// ---- tensors as packed floats (samples, channels, rows, columns)

// tf32: rounded as TF32 reads it.
std::vector<float> unpack(const Tensor& tensor, const void* from, bool tf32 = false);
void pack(const Tensor& tensor, void* to, const std::vector<float>& values, float alpha, float beta);

}  // namespace trainyard::dnn
