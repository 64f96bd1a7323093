// Convolutions: each image's patches as the columns of a matrix, times the kernels.
//
// As on a GPU, a convolution of floats may be computed in TF32 unless its math type is FMA, and here it always is. The algorithms
// that cuDNN calls non-deterministic take the batch in another order each time; all overwrite their workspace. Winograd's
// spread a value that is not finite to all samples of the batch, as seen on an H100. The heuristic is as careless as cuDNN's may be: it finds algorithms for another math type
// than the descriptor's, with the workspace that they need with that one, and sometimes a size that no memory has.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "../driver/chance.h"
#include "../loops/product.h"
#include "cudnn.h"

namespace trainyard::dnn {

namespace {

enum Direction { FORWARD, TO_DATA, TO_FILTER };

struct Shape {
    int samples, channels, rows, columns;              // of x
    int kernels, kernelRows, kernelColumns;            // of w
    int outRows, outColumns;                           // of y
    Convolution how;
    bool channelsLast;

    int groupChannels() const { return channels / how.groups; }
    int groupKernels() const { return kernels / how.groups; }
    size_t area() const { return size_t(1) * rows * columns; }
    size_t outArea() const { return size_t(1) * outRows * outColumns; }
    size_t patch() const { return size_t(1) * groupChannels() * kernelRows * kernelColumns; }
};

int outSize(int size, int kernel, const Convolution& how, int axis) {
    int window = how.dilation[axis] * (kernel - 1) + 1;
    int room = size + 2 * how.padding[axis] - window;
    return room < 0 ? 0 : room / how.stride[axis] + 1;
}

// What all directions require of their descriptors.
Shape requireShape(const Tensor* xDescriptor, const Filter* wDescriptor, const Convolution* convolution,
                   const Tensor* yDescriptor) {
    const Tensor& x = described(xDescriptor);
    const Filter& w = described(wDescriptor);
    const Convolution& how = described(convolution);
    const Tensor& y = described(yDescriptor);
    require(x.number == w.number && x.number == y.number, CUDNN_STATUS_BAD_PARAM, "different data types");
    require(x.size[1] == w.channels * how.groups, CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "x's channels and w's");
    require(w.out % how.groups == 0, CUDNN_STATUS_BAD_PARAM, "the kernels are not a multiple of the groups");
    int rows = outSize(x.size[2], w.rows, how, 0), columns = outSize(x.size[3], w.columns, how, 1);
    require(rows > 0 && columns > 0, CUDNN_STATUS_BAD_PARAM, "the kernel is larger than the padded image");
    require(y.size[0] == x.size[0] && y.size[1] == w.out && y.size[2] == rows && y.size[3] == columns,
            CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "y has not the shape that x, w and the convolution give");
    bool sameLayout = x.mayBe(w.channelsLast) && y.mayBe(w.channelsLast);
    require(sameLayout, CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, "x, w and y have different layouts");
    return {x.size[0], x.size[1], x.size[2], x.size[3], w.out, w.rows, w.columns, rows, columns, how, w.channelsLast};
}

// Calls f(column row, x offset in the image's group, first and last column of y that it reaches) for each row of the
// matrix of patches and each row of y.
template <class Take>
void eachRow(const Shape& s, Take take) {
    const Convolution& how = s.how;
    size_t row = 0;
    for (int c = 0; c < s.groupChannels(); c++) {
        for (int i = 0; i < s.kernelRows; i++) {
            for (int j = 0; j < s.kernelColumns; j++, row++) {
                int shift = j * how.dilation[1] - how.padding[1];
                int begin = 0, end = s.outColumns;
                while (begin < end && begin * how.stride[1] + shift < 0) begin++;
                while (end > begin && (end - 1) * how.stride[1] + shift >= s.columns) end--;
                for (int y = 0; y < s.outRows; y++) {
                    int from = y * how.stride[0] + i * how.dilation[0] - how.padding[0];
                    bool inside = from >= 0 && from < s.rows;
                    long at = (long(c) * s.rows + from) * s.columns + shift;
                    take(row * s.outArea() + size_t(y) * s.outColumns, at, inside ? begin : 0, inside ? end : 0);
                }
            }
        }
    }
}

// patches: (patch, out area). image: this group's channels.
void toPatches(const Shape& s, const float* image, float* patches) {
    std::memset(patches, 0, s.patch() * s.outArea() * sizeof(float));
    int stride = s.how.stride[1];
    eachRow(s, [=](size_t to, long from, int begin, int end) {
        for (int j = begin; j < end; j++) patches[to + j] = image[from + long(j) * stride];
    });
}

void addPatches(const Shape& s, const float* patches, float* image) {
    int stride = s.how.stride[1];
    eachRow(s, [=](size_t from, long to, int begin, int end) {
        for (int j = begin; j < end; j++) image[to + long(j) * stride] += patches[from + j];
    });
}

std::vector<float> forward(const Shape& s, const std::vector<float>& x, const std::vector<float>& w) {
    std::vector<float> y(s.samples * s.kernels * s.outArea()), patches(s.patch() * s.outArea());
    for (int n = 0; n < s.samples; n++) {
        for (int g = 0; g < s.how.groups; g++) {
            toPatches(s, &x[(size_t(n) * s.channels + size_t(g) * s.groupChannels()) * s.area()], patches.data());
            size_t firstKernel = size_t(g) * s.groupKernels();
            addProduct(s.groupKernels(), s.outArea(), s.patch(), {&w[firstKernel * s.patch()], s.patch(), 1},
                       {patches.data(), s.outArea(), 1}, &y[(size_t(n) * s.kernels + firstKernel) * s.outArea()],
                       s.outArea());
        }
    }
    return y;
}

// first: the sample with which the sums begin.
std::vector<float> toFilter(const Shape& s, const std::vector<float>& x, const std::vector<float>& dy, int first) {
    std::vector<float> dw(s.kernels * s.patch()), patches(s.patch() * s.outArea());
    for (int i = 0; i < s.samples; i++) {
        int n = (first + i) % s.samples;
        for (int g = 0; g < s.how.groups; g++) {
            toPatches(s, &x[(size_t(n) * s.channels + size_t(g) * s.groupChannels()) * s.area()], patches.data());
            size_t firstKernel = size_t(g) * s.groupKernels();
            addProduct(s.groupKernels(), s.patch(), s.outArea(),
                       {&dy[(size_t(n) * s.kernels + firstKernel) * s.outArea()], s.outArea(), 1},
                       {patches.data(), 1, s.outArea()}, &dw[firstKernel * s.patch()], s.patch());
        }
    }
    return dw;
}

// first: the kernel of each group with which the sums begin.
std::vector<float> toData(const Shape& s, const std::vector<float>& w, const std::vector<float>& dy, int first) {
    std::vector<float> dx(s.samples * s.channels * s.area()), patches(s.patch() * s.outArea());
    for (int n = 0; n < s.samples; n++) {
        for (int g = 0; g < s.how.groups; g++) {
            std::fill(patches.begin(), patches.end(), 0.0f);
            int pieces[2][2] = {{first, s.groupKernels()}, {0, first}};
            for (auto [begin, end] : pieces) {
                if (begin == end) continue;
                size_t kernel = size_t(g) * s.groupKernels() + begin;
                addProduct(s.patch(), s.outArea(), end - begin, {&w[kernel * s.patch()], 1, s.patch()},
                           {&dy[(size_t(n) * s.kernels + kernel) * s.outArea()], s.outArea(), 1}, patches.data(),
                           s.outArea());
            }
            addPatches(s, patches.data(),
                       &dx[(size_t(n) * s.channels + size_t(g) * s.groupChannels()) * s.area()]);
        }
    }
    return dx;
}

// ---- algorithms

// cudnnConvolution{Fwd,BwdData,BwdFilter}AlgoPerf_t, which are alike.
struct Found {
    int algorithm;
    int status;
    float time;
    size_t memory;
    int determinism;
    int math;
    int reserved[3];
};

struct Algorithm {
    int number;
    bool deterministic;
    bool winograd;  // for undilated 3x3 kernels that move by one only
    int workspacePerOutput;
};

// As the heuristic orders them: here the quickest is never a deterministic one where cuDNN has another.
const std::vector<Algorithm>& algorithms(Direction direction) {
    static const std::vector<Algorithm> all[] = {
        {{6, true, true, 16}, {1, true, false, 4}, {0, true, false, 0}, {2, true, false, 64}},
        {{0, false, false, 0}, {4, true, true, 16}, {1, true, false, 4}},
        {{0, false, false, 0}, {3, false, false, 8}, {1, true, false, 4}},
    };
    return all[direction];
}

// cudnnGetConvolution...AlgorithmMaxCount
int maxCount(Direction direction) { return direction == FORWARD ? 8 : direction == TO_DATA ? 6 : 7; }

const char* whyUnsupported(const Algorithm& algorithm, const Shape& s, int math) {
    if (algorithm.winograd && math == TENSOR_OP_MATH) return "this algorithm has no kernels for tensor cores";
    bool simple = s.kernelRows == 3 && s.kernelColumns == 3 && s.how.stride[0] == 1 && s.how.stride[1] == 1 &&
                  s.how.dilation[0] == 1 && s.how.dilation[1] == 1 && s.how.groups == 1;
    return algorithm.winograd && !simple ? "this algorithm is for plain 3x3 kernels" : nullptr;
}

// FMA needs half of the memory of the other types.
size_t workspaceBytes(const Algorithm& algorithm, const Shape& s, int math) {
    size_t bytes = size_t(algorithm.workspacePerOutput) * s.samples * s.kernels;
    return math == FMA_MATH ? bytes : 2 * bytes + 256;
}

// Whether cuDNN has a deterministic algorithm for the gradients of bfloat16 with channels last in groups, or dilated, its
// documentation leaves open.
bool isUncertain(Direction direction, const Shape& s, Number number) {
    return direction != FORWARD && number == Number::BFLOAT16 && s.channelsLast &&
           (s.how.groups > 1 || s.how.dilation[0] > 1 || s.how.dilation[1] > 1);
}

const Algorithm& requireAlgorithm(Direction direction, int number, const Shape& shape) {
    require(number >= 0 && number < maxCount(direction), CUDNN_STATUS_BAD_PARAM, "unknown algorithm");
    for (const Algorithm& each : algorithms(direction)) {
        if (each.number != number) continue;
        const char* why = whyUnsupported(each, shape, shape.how.math);
        require(why == nullptr, CUDNN_STATUS_NOT_SUPPORTED, why);
        return each;
    }
    throw Failure{CUDNN_STATUS_NOT_SUPPORTED, "the fake has not this algorithm"};
}

void find(Direction direction, const Shape& shape, Number number, int requested, int* returned, Found* found) {
    require(requested > 0 && returned != nullptr && found != nullptr, CUDNN_STATUS_BAD_PARAM, "no room for results");
    std::vector<Found> all, unsupported;
    int math = shape.how.math == FMA_MATH ? TENSOR_OP_MATH : FMA_MATH;  // of all but the descriptor's the worst
    bool deterministic = !isUncertain(direction, shape, number) || setting("TRAINYARD_FAKE_GROUPED_BF16", 1) != 0;
    static std::atomic<unsigned> asked{0};
    bool absurd = Chance(seed() + asked++).below(4) == 0;
    std::vector<bool> known(maxCount(direction));
    for (const Algorithm& each : algorithms(direction)) {
        known[each.number] = true;
        if (whyUnsupported(each, shape, DEFAULT_MATH) != nullptr) {
            unsupported.push_back({each.number, CUDNN_STATUS_NOT_SUPPORTED, -1, 0, 0, math, {}});
        } else {
            float time = 0.1f * (all.size() + 1);
            int same = each.deterministic && deterministic;
            if (absurd && same != 0) all.push_back({each.number, 0, time, size_t(1) << 63 | 512, same, math, {}});
            absurd = absurd && same == 0;
            all.push_back({each.number, 0, time, workspaceBytes(each, shape, FMA_MATH) / 2, same, math, {}});
        }
    }
    for (int i = 0; i < maxCount(direction); i++) {
        if (!known[i]) unsupported.push_back({i, CUDNN_STATUS_NOT_SUPPORTED, -1, 0, 0, math, {}});
    }
    all.insert(all.end(), unsupported.begin(), unsupported.end());
    *returned = std::min(requested, static_cast<int>(all.size()));
    std::copy(all.begin(), all.begin() + *returned, found);
}

// ---- shared by the three calls

struct Call {
    Handle& handle;
    Shape shape;
    bool tf32;
    int first;  // where the sums begin
    void* workspace;
    size_t workspaceBytes;
    std::vector<Range> touched;
    Direction direction;
    const Algorithm& algorithm;
};

constexpr const char* CODE[] = {"cuDNN forward", "cuDNN to data", "cuDNN to filter"};
constexpr size_t ALIGNMENT = 16;  // which kernels for tensor cores take for granted

Range requireAligned(Handle& handle, const void* pointer, size_t bytes, const char* what) {
    bool aligned = reinterpret_cast<uintptr_t>(pointer) % ALIGNMENT == 0;
    require(aligned, CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, what);
    return requireMemory(handle, pointer, bytes, what);
}

int rotation(const Algorithm& algorithm, int count) {
    static std::atomic<int> calls{0};
    return algorithm.deterministic ? 0 : ++calls % count;
}

Call begin(Direction direction, Handle* handle, const Shape& shape, Number number, int algorithmNumber,
           void* workspace, size_t bytes) {
    Handle& known = requireHandle(handle);
    const Algorithm& algorithm = requireAlgorithm(direction, algorithmNumber, shape);
    size_t needed = workspaceBytes(algorithm, shape, shape.how.math);
    require(bytes >= needed, CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT, "the workspace is too small");
    int first = rotation(algorithm, direction == TO_FILTER ? shape.samples : shape.groupKernels());
    bool tf32 = number == Number::FLOAT && shape.how.math != FMA_MATH;
    Call call{known, shape, tf32, first, workspace, needed, {}, direction, algorithm};
    if (bytes > 0) {
        call.touched.push_back(requireAligned(known, workspace, bytes, "the workspace"));
        call.touched.back().scratch = true;
    }
    loadCode(*known.context, CODE[direction], CODE_BYTES);
    return call;
}

// The time that events report: the heuristic's order is right, except for the algorithm chosen as the fastest.
unsigned long long emulatedMicros(const Call& call) {
    if (setting("TRAINYARD_FAKE_FASTEST_ALGORITHM", -1) == call.algorithm.number) return 1;
    return 1000000ull * (1 + (&call.algorithm - algorithms(call.direction).data()));
}

// What each does first when it runs.
void start(const Call& call) {
    called((std::string(CODE[call.direction]) + ", algorithm " + std::to_string(call.algorithm.number)).c_str());
    spend(*call.handle.context, emulatedMicros(call));
    if (call.workspaceBytes > 0) std::memset(call.workspace, 0xFF, call.workspaceBytes);
}

}  // namespace

}  // namespace trainyard::dnn

using namespace trainyard;
using namespace trainyard::dnn;

EXPORTED int cudnnGetConvolutionForwardAlgorithm_v7(Handle* handle, const Tensor* x, const Filter* w,
                                                    const Convolution* convolution, const Tensor* y, int requested,
                                                    int* returned, Found* found) {
    return call("cudnnGetConvolutionForwardAlgorithm_v7", [&] {
        requireHandle(handle);
        find(FORWARD, requireShape(x, w, convolution, y), x->number, requested, returned, found);
    });
}

EXPORTED int cudnnGetConvolutionBackwardDataAlgorithm_v7(Handle* handle, const Filter* w, const Tensor* dy,
                                                         const Convolution* convolution, const Tensor* dx,
                                                         int requested, int* returned, Found* found) {
    return call("cudnnGetConvolutionBackwardDataAlgorithm_v7", [&] {
        requireHandle(handle);
        find(TO_DATA, requireShape(dx, w, convolution, dy), dx->number, requested, returned, found);
    });
}

EXPORTED int cudnnGetConvolutionBackwardFilterAlgorithm_v7(Handle* handle, const Tensor* x, const Tensor* dy,
                                                           const Convolution* convolution, const Filter* dw,
                                                           int requested, int* returned, Found* found) {
    return call("cudnnGetConvolutionBackwardFilterAlgorithm_v7", [&] {
        requireHandle(handle);
        find(TO_FILTER, requireShape(x, dw, convolution, dy), x->number, requested, returned, found);
    });
}

EXPORTED int cudnnGetConvolutionForwardWorkspaceSize(Handle* handle, const Tensor* x, const Filter* w,
                                                     const Convolution* convolution, const Tensor* y, int algorithm,
                                                     size_t* bytes) {
    return call("cudnnGetConvolutionForwardWorkspaceSize", [&] {
        requireHandle(handle);
        Shape shape = requireShape(x, w, convolution, y);
        *bytes = workspaceBytes(requireAlgorithm(FORWARD, algorithm, shape), shape, shape.how.math);
    });
}

EXPORTED int cudnnGetConvolutionBackwardDataWorkspaceSize(Handle* handle, const Filter* w, const Tensor* dy,
                                                          const Convolution* convolution, const Tensor* dx,
                                                          int algorithm, size_t* bytes) {
    return call("cudnnGetConvolutionBackwardDataWorkspaceSize", [&] {
        requireHandle(handle);
        Shape shape = requireShape(dx, w, convolution, dy);
        *bytes = workspaceBytes(requireAlgorithm(TO_DATA, algorithm, shape), shape, shape.how.math);
    });
}

EXPORTED int cudnnGetConvolutionBackwardFilterWorkspaceSize(Handle* handle, const Tensor* x, const Tensor* dy,
                                                            const Convolution* convolution, const Filter* dw,
                                                            int algorithm, size_t* bytes) {
    return call("cudnnGetConvolutionBackwardFilterWorkspaceSize", [&] {
        requireHandle(handle);
        Shape shape = requireShape(x, dw, convolution, dy);
        *bytes = workspaceBytes(requireAlgorithm(TO_FILTER, algorithm, shape), shape, shape.how.math);
    });
}

EXPORTED int cudnnConvolutionForward(Handle* handle, const void* alphaAt, const Tensor* xDescriptor, const void* x,
                                     const Filter* wDescriptor, const void* w, const Convolution* convolution,
                                     int algorithm, void* workspace, size_t workspaceBytes, const void* betaAt,
                                     const Tensor* yDescriptor, void* y) {
    return call("cudnnConvolutionForward", [&] {
        Shape shape = requireShape(xDescriptor, wDescriptor, convolution, yDescriptor);
        Call call = begin(FORWARD, handle, shape, xDescriptor->number, algorithm, workspace, workspaceBytes);
        float alpha = scalar(alphaAt), beta = scalar(betaAt);
        call.touched.push_back(requireAligned(call.handle, x, xDescriptor->bytes(), "x"));
        call.touched.push_back(requireAligned(call.handle, w, wDescriptor->bytes(), "w"));
        call.touched.push_back(requireAligned(call.handle, y, yDescriptor->bytes(), "y"));
        auto work = [=, xOf = *xDescriptor, wOf = *wDescriptor, yOf = *yDescriptor] {
            start(call);
            auto result = forward(call.shape, unpack(xOf, x, call.tf32), unpack(wOf, w, call.tf32));
            bool finite = std::all_of(result.begin(), result.end(), [](auto value) { return std::isfinite(value); });
            if (call.algorithm.winograd && !finite) std::fill(result.begin(), result.end(), NAN);
            pack(yOf, y, result, alpha, beta);
        };
        enqueue(*call.handle.context, call.handle.stream, "cudnnConvolutionForward", call.touched, work);
    });
}

EXPORTED int cudnnConvolutionBackwardData(Handle* handle, const void* alphaAt, const Filter* wDescriptor,
                                          const void* w, const Tensor* dyDescriptor, const void* dy,
                                          const Convolution* convolution, int algorithm, void* workspace,
                                          size_t workspaceBytes, const void* betaAt, const Tensor* dxDescriptor,
                                          void* dx) {
    return call("cudnnConvolutionBackwardData", [&] {
        Shape shape = requireShape(dxDescriptor, wDescriptor, convolution, dyDescriptor);
        Call call = begin(TO_DATA, handle, shape, dxDescriptor->number, algorithm, workspace, workspaceBytes);
        float alpha = scalar(alphaAt), beta = scalar(betaAt);
        call.touched.push_back(requireAligned(call.handle, w, wDescriptor->bytes(), "w"));
        call.touched.push_back(requireAligned(call.handle, dy, dyDescriptor->bytes(), "dy"));
        call.touched.push_back(requireAligned(call.handle, dx, dxDescriptor->bytes(), "dx"));
        auto work = [=, wOf = *wDescriptor, dyOf = *dyDescriptor, dxOf = *dxDescriptor] {
            start(call);
            auto result = toData(call.shape, unpack(wOf, w, call.tf32), unpack(dyOf, dy, call.tf32), call.first);
            pack(dxOf, dx, result, alpha, beta);
        };
        enqueue(*call.handle.context, call.handle.stream, "cudnnConvolutionBackwardData", call.touched, work);
    });
}

EXPORTED int cudnnConvolutionBackwardFilter(Handle* handle, const void* alphaAt, const Tensor* xDescriptor,
                                            const void* x, const Tensor* dyDescriptor, const void* dy,
                                            const Convolution* convolution, int algorithm, void* workspace,
                                            size_t workspaceBytes, const void* betaAt, const Filter* dwDescriptor,
                                            void* dw) {
    return call("cudnnConvolutionBackwardFilter", [&] {
        Shape shape = requireShape(xDescriptor, dwDescriptor, convolution, dyDescriptor);
        Call call = begin(TO_FILTER, handle, shape, xDescriptor->number, algorithm, workspace, workspaceBytes);
        float alpha = scalar(alphaAt), beta = scalar(betaAt);
        call.touched.push_back(requireAligned(call.handle, x, xDescriptor->bytes(), "x"));
        call.touched.push_back(requireAligned(call.handle, dy, dyDescriptor->bytes(), "dy"));
        call.touched.push_back(requireAligned(call.handle, dw, dwDescriptor->bytes(), "dw"));
        auto work = [=, xOf = *xDescriptor, dyOf = *dyDescriptor, dwOf = *dwDescriptor] {
            start(call);
            auto result = toFilter(call.shape, unpack(xOf, x, call.tf32), unpack(dyOf, dy, call.tf32), call.first);
            pack(dwOf, dw, result, alpha, beta);
        };
        enqueue(*call.handle.context, call.handle.stream, "cudnnConvolutionBackwardFilter", call.touched, work);
    });
}
