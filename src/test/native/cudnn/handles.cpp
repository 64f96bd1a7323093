// cuDNN's handles, and tensors.
#include "cudnn.h"

#include <cstring>

namespace trainyard::dnn {

Handles<Handle>& handles() {
    static auto& handles = *new Handles<Handle>("cudnnHandle");
    return handles;
}

size_t Tensor::bytes() const {
    size_t last = 0;
    for (int i = 0; i < 4; i++) last += size_t(size[i] - 1) * stride[i];
    return (last + 1) * bytesOf(number);
}

Handle& requireHandle(Handle* handle) {
    require(handle != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "the handle is null");
    require(handles().has(handle), CUDNN_STATUS_NOT_INITIALIZED, "the handle was destroyed or never created");
    require(&currentContext() == handle->context, CUDNN_STATUS_BAD_PARAM,
            "the handle is of another device than the current one");
    return *handle;
}

Range requireMemory(Handle& handle, const void* pointer, size_t bytes, const char* what) {
    require(pointer != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, what);
    try {
        requireRange(*handle.context, {pointer, bytes});
    } catch (const Failure& failure) {
        throw Failure{CUDNN_STATUS_BAD_PARAM, std::string(what) + ": " + failure.why};
    }
    return {pointer, bytes};
}

int status(const Failure& failure) {
    if (failure.status == CUDA_ERROR_OUT_OF_MEMORY) return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
    return failure.status >= 1000 ? failure.status : static_cast<int>(CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER);
}

std::vector<float> unpack(const Tensor& tensor, const void* from, bool tf32) {
    std::vector<float> values(tensor.elements());
    size_t i = 0;
    for (int n = 0; n < tensor.size[0]; n++) {
        for (int c = 0; c < tensor.size[1]; c++) {
            for (int h = 0; h < tensor.size[2]; h++) {
                size_t at = size_t(n) * tensor.stride[0] + size_t(c) * tensor.stride[1] + size_t(h) * tensor.stride[2];
                for (int w = 0; w < tensor.size[3]; w++, at += tensor.stride[3]) {
                    values[i++] = loadNumber(from, tensor.number, at);
                }
            }
        }
    }
    if (tf32) {
        for (float& value : values) value = toTf32(value);
    }
    return values;
}

void pack(const Tensor& tensor, void* to, const std::vector<float>& values, float alpha, float beta) {
    size_t i = 0;
    for (int n = 0; n < tensor.size[0]; n++) {
        for (int c = 0; c < tensor.size[1]; c++) {
            for (int h = 0; h < tensor.size[2]; h++) {
                size_t at = size_t(n) * tensor.stride[0] + size_t(c) * tensor.stride[1] + size_t(h) * tensor.stride[2];
                for (int w = 0; w < tensor.size[3]; w++, at += tensor.stride[3]) {
                    blend(to, tensor.number, at, values[i++], alpha, beta);
                }
            }
        }
    }
}

}  // namespace trainyard::dnn

using namespace trainyard;
using namespace trainyard::dnn;

EXPORTED size_t cudnnGetVersion() { return static_cast<size_t>(setting("TRAINYARD_FAKE_CUDNN_VERSION", 92400)); }

EXPORTED size_t cudnnGetCudartVersion() { return 13000; }

EXPORTED const char* cudnnGetErrorString(int status) {
    switch (status) {
#define S(name, number) case number: return #name;
        TRAINYARD_DNN_STATUSES(S)
#undef S
        default: return "CUDNN_UNKNOWN_STATUS";
    }
}

EXPORTED int cudnnCreate(Handle** handle) {
    return call("cudnnCreate", [&] {
        require(handle != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "nowhere to put it");
        try {
            Context& context = currentContext();
            requireNoCapture("cudnnCreate");
            takeMemory(context, HANDLE_BYTES);
            *handle = handles().add(new Handle{&context});
        } catch (const Failure& failure) {
            throw Failure{CUDNN_STATUS_NOT_INITIALIZED, failure.why};
        }
    });
}

EXPORTED int cudnnDestroy(Handle* handle) {
    return call("cudnnDestroy", [&] {
        if (handle == nullptr) return;
        require(handles().has(handle), CUDNN_STATUS_NOT_INITIALIZED, "destroyed before");
        handles().remove(handle);
        giveMemory(*handle->context, HANDLE_BYTES);
        delete handle;
    });
}

EXPORTED int cudnnSetStream(Handle* handle, Stream* stream) {
    return call("cudnnSetStream", [&] {
        Handle& known = requireHandle(handle);
        try {
            requireStream(*known.context, stream);
        } catch (const Failure& failure) {
            throw Failure{CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH, failure.why};
        }
        known.stream = stream;
    });
}
