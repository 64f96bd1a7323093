// cuBLAS's double: products of matrices in plain loops, enqueued in the handle's stream. Statuses are cuBLAS 13's.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "../driver/double.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using namespace trainyard;

// name, number, as in cuBLAS 13's cublas_api.h
#define CUBLAS_STATUSES(R)             \
    R(CUBLAS_STATUS_SUCCESS, 0)        \
    R(CUBLAS_STATUS_NOT_INITIALIZED, 1) \
    R(CUBLAS_STATUS_ALLOC_FAILED, 3)   \
    R(CUBLAS_STATUS_INVALID_VALUE, 7)  \
    R(CUBLAS_STATUS_ARCH_MISMATCH, 8)  \
    R(CUBLAS_STATUS_MAPPING_ERROR, 11) \
    R(CUBLAS_STATUS_EXECUTION_FAILED, 13) \
    R(CUBLAS_STATUS_INTERNAL_ERROR, 14) \
    R(CUBLAS_STATUS_NOT_SUPPORTED, 15)

enum Status : int {
#define R(name, number) name = number,
    CUBLAS_STATUSES(R)
#undef R
};

// Apart from the driver's failures, whose numbers are others.
struct BlasFailure {
    Status status;
    std::string why;
};

enum Operation { AS_IS = 0, TRANSPOSED = 1 };
enum Type { FLOAT = 0, BFLOAT16 = 14 };
constexpr int COMPUTE_32F = 68;
constexpr int MATH_MODES = 3;  // default, tensor op, pedantic, TF32

struct Handle {
    Context* context;
    Stream* stream;
    void* workspace;
    size_t workspaceBytes;
};

Handles<Handle>& handles() {
    static auto& handles = *new Handles<Handle>("cublasHandle");
    return handles;
}

template <class Body>
int call(const char* name, Body body) {
    if (int status = called(name); status != 0) return status;
    try {
        body();
        return CUBLAS_STATUS_SUCCESS;
    } catch (const BlasFailure& failure) {
        report(name, failure.status, failure.why);
        return failure.status;
    } catch (const Failure& failure) {
        report(name, CUBLAS_STATUS_EXECUTION_FAILED, failure.why);
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

// The handle, used in the context it was made in.
Handle& require(Handle* handle) {
    if (!handles().has(handle)) throw BlasFailure{CUBLAS_STATUS_NOT_INITIALIZED, "no such handle"};
    if (&currentContext() != handle->context)
        throw BlasFailure{CUBLAS_STATUS_MAPPING_ERROR, "the handle was made in another context"};
    return *handle;
}

void check(bool holds, const char* why) {
    if (!holds) throw BlasFailure{CUBLAS_STATUS_INVALID_VALUE, why};
}

size_t bytesOf(int type) { return type == FLOAT ? 4 : 2; }

// (rows, columns), column-major: element (i, j) is at i + j * leading.
struct Matrix {
    void* values;
    int type, rows, columns, leading;

    // From the first to the last element.
    size_t bytes() const {
        if (rows == 0 || columns == 0) return 0;
        return (static_cast<size_t>(columns - 1) * leading + rows) * bytesOf(type);
    }

    Range range() const { return {values, bytes()}; }

    float at(size_t i, size_t j) const {
        size_t index = i + j * leading;
        if (type == FLOAT) return static_cast<const float*>(values)[index];
        uint32_t bits = static_cast<uint32_t>(static_cast<const uint16_t*>(values)[index]) << 16;
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }

    void set(size_t i, size_t j, float value) const {
        size_t index = i + j * leading;
        if (type == FLOAT) {
            static_cast<float*>(values)[index] = value;
            return;
        }
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        bool nan = value != value;
        uint32_t rounded = nan ? (bits | 0x00400000u) : bits + 0x7fffu + ((bits >> 16) & 1);
        static_cast<uint16_t*>(values)[index] = static_cast<uint16_t>(rounded >> 16);
    }

    // As float32, column-major without gaps, transposed where asked.
    std::vector<float> packed(bool transpose) const {
        std::vector<float> all(static_cast<size_t>(rows) * columns);
        for (int j = 0; j < columns; j++)
            for (int i = 0; i < rows; i++)
                all[transpose ? j + static_cast<size_t>(i) * columns : i + static_cast<size_t>(j) * rows] = at(i, j);
        return all;
    }
};

// c (m, n) = alpha a (m, k) b (k, n) + beta c. `a` comes with its rows as runs, `b` with its columns as runs.
void multiply(int m, int n, int k, float alpha, const Matrix& a, bool transposeA, const Matrix& b, bool transposeB,
              float beta, const Matrix& c) {
    std::vector<float> rows = a.packed(!transposeA), columns = b.packed(transposeB);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            const float* x = &rows[static_cast<size_t>(i) * k];
            const float* y = &columns[static_cast<size_t>(j) * k];
            double sum = 0;
            for (int t = 0; t < k; t++) sum += static_cast<double>(x[t]) * y[t];
            double old = beta == 0 ? 0 : static_cast<double>(beta) * c.at(i, j);  // with 0, c may hold anything
            c.set(i, j, static_cast<float>(alpha * sum + old));
        }
    }
}

}  // namespace

EXPORTED int cublasCreate_v2(Handle** handle) {
    return call("cublasCreate_v2", [&] {
        check(handle != nullptr, "no place for the handle");
        requireNoCapture("cublasCreate");
        *handle = handles().add(new Handle{&currentContext(), nullptr, nullptr, 0});
    });
}

EXPORTED int cublasDestroy_v2(Handle* handle) {
    return call("cublasDestroy_v2", [&] {
        if (!handles().has(handle)) throw BlasFailure{CUBLAS_STATUS_NOT_INITIALIZED, "no such handle"};
        handles().remove(handle);
        delete handle;
    });
}

EXPORTED int cublasSetStream_v2(Handle* handle, Stream* stream) {
    return call("cublasSetStream_v2", [&] {
        Handle& to = require(handle);
        requireStream(*to.context, stream);
        to.stream = stream;
        to.workspace = nullptr;  // as cuBLAS does: back to its own
        to.workspaceBytes = 0;
    });
}

EXPORTED int cublasSetWorkspace_v2(Handle* handle, void* workspace, size_t bytes) {
    return call("cublasSetWorkspace_v2", [&] {
        Handle& to = require(handle);
        check(reinterpret_cast<uintptr_t>(workspace) % 256 == 0, "the workspace must lie at a multiple of 256");
        requireRange(*to.context, {workspace, bytes});
        to.workspace = workspace;
        to.workspaceBytes = bytes;
    });
}

EXPORTED int cublasSetMathMode(Handle* handle, int mode) {
    return call("cublasSetMathMode", [&] {
        require(handle);
        check(mode >= 0 && mode <= MATH_MODES, "no such math mode");
    });
}

EXPORTED int cublasGetProperty(int which, int* value) {
    const int release[] = {13, 0, 0};
    if (which < 0 || which > 2 || value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *value = release[which];
    return CUBLAS_STATUS_SUCCESS;
}

EXPORTED const char* cublasGetStatusString(int status) {
    switch (status) {
#define R(name, number) \
    case number:        \
        return #name;
        CUBLAS_STATUSES(R)
#undef R
    }
    return "<unknown>";
}

EXPORTED const char* cublasGetStatusName(int status) { return cublasGetStatusString(status); }

EXPORTED int cublasGemmEx(Handle* handle, int operationA, int operationB, int m, int n, int k, const void* alpha,
                          void* a, int typeA, int leadingA, void* b, int typeB, int leadingB, const void* beta,
                          void* c, int typeC, int leadingC, int compute, int algorithm) {
    return call("cublasGemmEx", [&] {
        Handle& in = require(handle);
        check(operationA == AS_IS || operationA == TRANSPOSED, "operation of a");
        check(operationB == AS_IS || operationB == TRANSPOSED, "operation of b");
        check(m >= 0 && n >= 0 && k >= 0, "a size below 0");
        check(alpha != nullptr && beta != nullptr, "no alpha or beta");
        bool transposeA = operationA == TRANSPOSED, transposeB = operationB == TRANSPOSED;
        Matrix first{a, typeA, transposeA ? k : m, transposeA ? m : k, leadingA};
        Matrix second{b, typeB, transposeB ? n : k, transposeB ? k : n, leadingB};
        Matrix product{c, typeC, m, n, leadingC};
        for (const Matrix* matrix : {&first, &second, &product})
            check(matrix->leading >= (matrix->rows > 1 ? matrix->rows : 1), "a leading dimension below the rows");
        bool known = typeA == typeB && ((typeA == FLOAT && typeC == FLOAT) ||
                                        (typeA == BFLOAT16 && (typeC == FLOAT || typeC == BFLOAT16)));
        if (!known || compute != COMPUTE_32F || algorithm < -1)
            throw BlasFailure{CUBLAS_STATUS_NOT_SUPPORTED, "these types, or this computation"};
        float scale, keep;
        memcpy(&scale, alpha, sizeof scale);
        memcpy(&keep, beta, sizeof keep);
        std::vector<Range> touched{first.range(), second.range(), product.range()};
        if (in.workspace != nullptr) touched.push_back({in.workspace, in.workspaceBytes});
        enqueue(*in.context, in.stream, "cublasGemmEx", touched, [=] {
            multiply(m, n, k, scale, first, transposeA, second, transposeB, keep, product);
        });
    });
}
