// fake cuBLAS: products of matrices of floats and bfloat16, numbered as in cuBLAS 13's headers. As on a GPU, TF32
// is used where the math mode or the compute type allows it, and here always.
#include <algorithm>
#include <cstring>
#include <vector>

#include "../driver/fake.h"
#include "../loops/numbers.h"
#include "../loops/product.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

// name, number, text of cublasGetStatusString
#define TRAINYARD_BLAS_STATUSES(S)                                     \
    S(CUBLAS_STATUS_SUCCESS, 0, "success")                             \
    S(CUBLAS_STATUS_NOT_INITIALIZED, 1, "the library was not initialized") \
    S(CUBLAS_STATUS_ALLOC_FAILED, 3, "the resource allocation failed") \
    S(CUBLAS_STATUS_INVALID_VALUE, 7, "an unsupported value or parameter was passed to the function") \
    S(CUBLAS_STATUS_ARCH_MISMATCH, 8, "the function requires a feature absent from the device architecture") \
    S(CUBLAS_STATUS_MAPPING_ERROR, 11, "an access to GPU memory space failed") \
    S(CUBLAS_STATUS_EXECUTION_FAILED, 13, "the function failed to launch on the GPU") \
    S(CUBLAS_STATUS_INTERNAL_ERROR, 14, "the internal operation failed") \
    S(CUBLAS_STATUS_NOT_SUPPORTED, 15, "the functionality is not supported")

namespace {

using namespace trainyard;

enum BlasStatus : int {
#define S(name, number, text) name = number,
    TRAINYARD_BLAS_STATUSES(S)
#undef S
};

constexpr int TF32_MATH = 3;                                                // cublasMath_t
constexpr int COMPUTE_32F = 68, COMPUTE_32F_PEDANTIC = 69, COMPUTE_32F_FAST_TF32 = 77;  // cublasComputeType_t
constexpr int R_32F = 0, R_16BF = 14;                                       // cudaDataType_t
constexpr int N = 0, T = 1, C = 2;                                          // cublasOperation_t
constexpr int DEFAULT = -1, DEFAULT_TENSOR_OP = 99;                         // cublasGemmAlgo_t

constexpr size_t HANDLE_BYTES = 4 << 20, CODE_BYTES = 24 << 20;  // of the device, for cuBLAS itself

struct Handle {
    Context* context;
    Stream* stream = nullptr;
    int math = 0;
    void* workspace = nullptr;  // the caller's; null: cuBLAS's own
    size_t workspaceBytes = 0;
};

Handles<Handle>& handles() {
    static auto& handles = *new Handles<Handle>("cublasHandle");
    return handles;
}

// The driver's statuses overlap with those of cuBLAS, so this library's own failures have a separate type.
struct Refusal {
    int status;
    const char* why;
};

void require(bool condition, const char* why, int status = CUBLAS_STATUS_INVALID_VALUE) {
    if (!condition) throw Refusal{status, why};
}

template <class Body>
int call(const char* name, Body body) {
    if (int injected = called(name); injected != 0) return injected;
    try {
        body();
        return CUBLAS_STATUS_SUCCESS;
    } catch (const Refusal& refusal) {
        report(name, refusal.status, refusal.why);
        return refusal.status;
    } catch (const Failure& failure) {
        if (failure.status == CUDA_ERROR_OUT_OF_MEMORY) {
            report(name, CUBLAS_STATUS_ALLOC_FAILED, failure.why);
            return CUBLAS_STATUS_ALLOC_FAILED;
        }
        int status = failure.status == CUDA_ERROR_INVALID_VALUE ? CUBLAS_STATUS_INVALID_VALUE
                                                                : CUBLAS_STATUS_EXECUTION_FAILED;
        report(name, status, failure.why);
        return status;
    }
}

Handle& requireHandle(Handle* handle) {
    require(handles().has(handle), "the handle was destroyed or never created", CUBLAS_STATUS_NOT_INITIALIZED);
    require(&currentContext() == handle->context, "the handle is of another device than the current one");
    return *handle;
}

Number numberOf(int type) {
    require(type == R_32F || type == R_16BF, "the fake has float and bfloat16 only", CUBLAS_STATUS_NOT_SUPPORTED);
    return type == R_32F ? Number::FLOAT : Number::BFLOAT16;
}

// A column-major matrix, used as op(matrix).
struct Operand {
    const void* values;
    Number number;
    int rows, columns, leading;
    bool transposed;

    Range range() const {
        size_t elements = size_t(columns - 1) * leading + rows;
        return {values, elements * bytesOf(number)};
    }

    std::vector<float> read(bool tf32) const {
        std::vector<float> result(size_t(rows) * columns);
        for (int j = 0; j < columns; j++) {
            for (int i = 0; i < rows; i++) {
                float value = loadNumber(values, number, size_t(j) * leading + i);
                result[size_t(j) * rows + i] = tf32 ? toTf32(value) : value;
            }
        }
        return result;
    }

    // Writes op(matrix) over the values that were read.
    Matrix matrix(const std::vector<float>& from) const {
        size_t stride = rows;
        return transposed ? Matrix{from.data(), stride, 1} : Matrix{from.data(), 1, stride};
    }
};

Operand operand(const void* values, int type, int operation, int rows, int columns, int leading) {
    require(operation == N || operation == T || operation == C, "unknown operation");
    bool transposed = operation != N;
    Operand result{values, numberOf(type), transposed ? columns : rows, transposed ? rows : columns, leading,
                   transposed};
    require(leading >= std::max(1, result.rows), "a leading dimension is smaller than the matrix is high");
    return result;
}

void requireTypes(int a, int b, int c, int compute) {
    require(compute == COMPUTE_32F || compute == COMPUTE_32F_PEDANTIC || compute == COMPUTE_32F_FAST_TF32,
            "the fake computes in float only", CUBLAS_STATUS_NOT_SUPPORTED);
    require(a == b && (c == a || (a == R_16BF && c == R_32F)), "these types do not go together",
            CUBLAS_STATUS_NOT_SUPPORTED);
}

}  // namespace

EXPORTED const char* cublasGetStatusString(int status) {
    switch (status) {
#define S(name, number, text) case number: return text;
        TRAINYARD_BLAS_STATUSES(S)
#undef S
        default: return "unknown status";
    }
}

EXPORTED int cublasGetProperty(int property, int* value) {
    return call("cublasGetProperty", [&] {
        require(property >= 0 && property <= 2 && value != nullptr, "unknown property");
        const int version[] = {13, 0, 0};
        *value = version[property];
    });
}

EXPORTED int cublasCreate_v2(Handle** handle) {
    return call("cublasCreate_v2", [&] {
        require(handle != nullptr, "nowhere to put it");
        try {
            Context& context = currentContext();
            requireNoCapture("cublasCreate");
            takeMemory(context, HANDLE_BYTES);
            *handle = handles().add(new Handle{&context});
        } catch (const Failure& failure) {
            if (failure.status == CUDA_ERROR_OUT_OF_MEMORY) throw Refusal{CUBLAS_STATUS_ALLOC_FAILED, "no memory left"};
            throw Refusal{CUBLAS_STATUS_NOT_INITIALIZED, "no usable context is current, or a stream captures"};
        }
    });
}

EXPORTED int cublasDestroy_v2(Handle* handle) {
    return call("cublasDestroy_v2", [&] {
        require(handles().has(handle), "destroyed before", CUBLAS_STATUS_NOT_INITIALIZED);
        handles().remove(handle);
        giveMemory(*handle->context, HANDLE_BYTES);
        delete handle;
    });
}

EXPORTED int cublasSetStream_v2(Handle* handle, Stream* stream) {
    return call("cublasSetStream_v2", [&] {
        Handle& known = requireHandle(handle);
        requireStream(*known.context, stream);
        known.stream = stream;
        known.workspace = nullptr;  // back to its own, as cuBLAS does
        known.workspaceBytes = 0;
    });
}

EXPORTED int cublasSetWorkspace_v2(Handle* handle, void* workspace, size_t bytes) {
    return call("cublasSetWorkspace_v2", [&] {
        Handle& known = requireHandle(handle);
        require(reinterpret_cast<uintptr_t>(workspace) % 256 == 0, "the workspace is not aligned to 256 bytes");
        if (bytes > 0) requireRange(*known.context, {workspace, bytes});
        known.workspace = bytes > 0 ? workspace : nullptr;
        known.workspaceBytes = bytes;
    });
}

EXPORTED int cublasSetMathMode(Handle* handle, int mode) {
    return call("cublasSetMathMode", [&] {
        int mode16 = mode & 15;
        require(mode >= 0 && mode < 32 && mode16 <= TF32_MATH, "unknown math mode");
        requireHandle(handle).math = mode;
    });
}

EXPORTED int cublasGemmEx(Handle* handle, int formOfA, int formOfB, int rows, int columns, int depth,
                          const void* alphaAt, const void* a, int typeOfA, int leadingOfA, const void* b, int typeOfB,
                          int leadingOfB, const void* betaAt, void* c, int typeOfC, int leadingOfC, int compute,
                          int algorithm) {
    return call("cublasGemmEx", [&] {
        Handle& known = requireHandle(handle);
        require(rows >= 0 && columns >= 0 && depth >= 0, "a size is negative");
        require(algorithm >= DEFAULT && algorithm <= DEFAULT_TENSOR_OP + 16, "unknown algorithm");
        requireTypes(typeOfA, typeOfB, typeOfC, compute);
        Operand left = operand(a, typeOfA, formOfA, rows, depth, leadingOfA);
        Operand right = operand(b, typeOfB, formOfB, depth, columns, leadingOfB);
        Operand result = operand(c, typeOfC, N, rows, columns, leadingOfC);
        require(alphaAt != nullptr && betaAt != nullptr, "alpha or beta is null");
        float alpha, beta;
        std::memcpy(&alpha, alphaAt, sizeof alpha);
        std::memcpy(&beta, betaAt, sizeof beta);
        if (rows == 0 || columns == 0) return;
        std::vector<Range> touched{result.range()};
        if (depth > 0) touched.insert(touched.end(), {left.range(), right.range()});
        if (known.workspace != nullptr) touched.push_back({known.workspace, known.workspaceBytes, true});
        for (const Range& range : touched) requireRange(*known.context, range);
        for (auto [values, number] : {std::pair(a, left.number), {b, right.number}, {c, result.number}}) {
            bool aligned = reinterpret_cast<uintptr_t>(values) % bytesOf(number) == 0;
            require(aligned, "a misaligned address", CUBLAS_STATUS_EXECUTION_FAILED);
        }
        loadCode(*known.context, "cublasGemmEx", CODE_BYTES);
        bool allowed = compute == COMPUTE_32F_FAST_TF32 || (compute == COMPUTE_32F && (known.math & 15) == TF32_MATH);
        bool tf32 = typeOfA == R_32F && allowed;
        size_t used = std::min(known.workspaceBytes, size_t(4) * rows * columns);
        auto work = [=, workspace = known.workspace] {
            if (workspace != nullptr) std::memset(workspace, 0xFF, used);
            std::vector<float> ofA = left.read(tf32), ofB = right.read(tf32), product(size_t(rows) * columns);
            // the product's columns as rows: transposed, the operands change places
            Matrix x = left.matrix(ofA), y = right.matrix(ofB);
            addProduct(columns, rows, depth, {y.values, y.columnStride, y.rowStride},
                       {x.values, x.columnStride, x.rowStride}, product.data(), rows);
            for (int j = 0; j < columns; j++) {
                for (int i = 0; i < rows; i++) {
                    blend(c, result.number, size_t(j) * leadingOfC + i, product[size_t(j) * rows + i], alpha, beta);
                }
            }
        };
        enqueue(*known.context, known.stream, "cublasGemmEx", touched, work);
    });
}
