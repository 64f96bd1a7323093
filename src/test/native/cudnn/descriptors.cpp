// cuDNN's handles and descriptors.
#include "cudnn.h"

#include <cstring>

namespace trainyard::dnn {

namespace {

constexpr int FLOAT = 0, BFLOAT16 = 9;    // cudnnDataType_t
constexpr int NCHW = 0, NHWC = 1;         // cudnnTensorFormat_t
constexpr int AVERAGE_COUNT_INCLUDE_PADDING = 1, AVERAGE_COUNT_EXCLUDE_PADDING = 2;  // cudnnPoolingMode_t

Number numberOf(int type) {
    require(type >= 0 && type <= 14, CUDNN_STATUS_BAD_PARAM, "unknown data type");
    require(type == FLOAT || type == BFLOAT16, CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
            "the fake has float and bfloat16 only");
    return type == FLOAT ? Number::FLOAT : Number::BFLOAT16;
}

bool channelsLast(int format) {
    require(format == NCHW || format == NHWC, CUDNN_STATUS_BAD_PARAM, "unknown format");
    return format == NHWC;
}

template <class Kind>
int create(const char* name, Kind** descriptor) {
    return call(name, [&] {
        require(descriptor != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "nowhere to put it");
        *descriptor = living<Kind>().add(new Kind);
    });
}

template <class Kind>
int destroy(const char* name, Kind* descriptor) {
    return call(name, [&] {
        if (descriptor == nullptr) return;
        require(living<Kind>().has(descriptor), CUDNN_STATUS_BAD_PARAM, "destroyed before");
        living<Kind>().remove(descriptor);
        delete descriptor;
    });
}

// One that is to be set.
template <class Kind>
Kind& created(Kind* descriptor) {
    require(descriptor != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "a descriptor is null");
    require(living<Kind>().has(descriptor), CUDNN_STATUS_BAD_PARAM, "a descriptor was destroyed or never created");
    return *descriptor;
}

}  // namespace

Handles<Handle>& handles() {
    static auto& handles = *new Handles<Handle>("cudnnHandle");
    return handles;
}

size_t Tensor::bytes() const {
    size_t last = 0;
    for (int i = 0; i < 4; i++) last += size_t(size[i] - 1) * stride[i];
    return (last + 1) * bytesOf(number);
}

bool Tensor::sameShape(const Tensor& other) const { return std::memcmp(size, other.size, sizeof size) == 0; }

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

float scalar(const void* pointer) {
    require(pointer != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "alpha or beta is null");
    float value;
    std::memcpy(&value, pointer, sizeof value);
    return value;
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

EXPORTED int cudnnCreateTensorDescriptor(Tensor** tensor) { return create("cudnnCreateTensorDescriptor", tensor); }
EXPORTED int cudnnCreatePoolingDescriptor(Pooling** pooling) { return create("cudnnCreatePoolingDescriptor", pooling); }

EXPORTED int cudnnDestroyTensorDescriptor(Tensor* tensor) { return destroy("cudnnDestroyTensorDescriptor", tensor); }
EXPORTED int cudnnDestroyPoolingDescriptor(Pooling* pooling) {
    return destroy("cudnnDestroyPoolingDescriptor", pooling);
}

EXPORTED int cudnnSetTensor4dDescriptor(Tensor* tensor, int format, int type, int n, int c, int h, int w) {
    return call("cudnnSetTensor4dDescriptor", [&] {
        Tensor& target = created(tensor);
        bool last = channelsLast(format);
        require(n > 0 && c > 0 && h > 0 && w > 0, CUDNN_STATUS_BAD_PARAM, "a size is not positive");
        Tensor described{true, numberOf(type), {n, c, h, w}, {}};
        require(described.elements() < size_t(1) << 31, CUDNN_STATUS_NOT_SUPPORTED, "2 Gi elements or more");
        int strides[2][4] = {{c * h * w, h * w, w, 1}, {c * h * w, 1, w * c, c}};
        std::memcpy(described.stride, strides[last], sizeof described.stride);
        target = described;
    });
}

EXPORTED int cudnnSetPooling2dDescriptor(Pooling* pooling, int mode, int nan, int rows, int columns, int padRows,
                                         int padColumns, int strideRows, int strideColumns) {
    return call("cudnnSetPooling2dDescriptor", [&] {
        Pooling& target = created(pooling);
        require(mode >= 0 && mode <= 3 && nan >= 0 && nan <= 1, CUDNN_STATUS_BAD_PARAM, "unknown mode");
        require(mode == AVERAGE_COUNT_INCLUDE_PADDING || mode == AVERAGE_COUNT_EXCLUDE_PADDING,
                CUDNN_STATUS_NOT_SUPPORTED, "the fake has average pooling only");
        require(rows > 0 && columns > 0 && strideRows > 0 && strideColumns > 0, CUDNN_STATUS_BAD_PARAM,
                "a size or stride is not positive");
        require(padRows >= 0 && padColumns >= 0 && padRows < rows && padColumns < columns, CUDNN_STATUS_BAD_PARAM,
                "padding is negative or as wide as the window");
        target = {true,
                  mode == AVERAGE_COUNT_INCLUDE_PADDING,
                  {rows, columns},
                  {padRows, padColumns},
                  {strideRows, strideColumns}};
    });
}
