// Average pooling.
#include "cudnn.h"

namespace trainyard::dnn {

namespace {

// What both directions require of their descriptors.
void requireShape(const Pooling* poolingDescriptor, const Tensor* xDescriptor, const Tensor* yDescriptor) {
    const Pooling& pooling = described(poolingDescriptor);
    const Tensor& x = described(xDescriptor);
    const Tensor& y = described(yDescriptor);
    require(x.number == y.number, CUDNN_STATUS_BAD_PARAM, "different data types");
    require(x.size[0] == y.size[0] && x.size[1] == y.size[1], CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH,
            "x and y differ in samples or channels");
    for (int axis = 0; axis < 2; axis++) {
        int room = x.size[2 + axis] + 2 * pooling.padding[axis] - pooling.window[axis];
        require(room >= 0 && y.size[2 + axis] == room / pooling.stride[axis] + 1,
                CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "y has not the size that x and the pooling give");
    }
}

struct Window {
    int begin[2], end[2];
    float divisor;
};

Window windowOf(const Pooling& pooling, const Tensor& x, int row, int column) {
    Window window{};
    int at[2] = {row, column};
    for (int axis = 0; axis < 2; axis++) {
        int begin = at[axis] * pooling.stride[axis] - pooling.padding[axis];
        window.begin[axis] = std::max(begin, 0);
        window.end[axis] = std::min(begin + pooling.window[axis], x.size[2 + axis]);
    }
    int inside = (window.end[0] - window.begin[0]) * (window.end[1] - window.begin[1]);
    window.divisor = static_cast<float>(pooling.countPadding ? pooling.window[0] * pooling.window[1] : inside);
    return window;
}

// Calls f(index in y, index in x of the plane's first value, window).
template <class Take>
void eachWindow(const Pooling& pooling, const Tensor& x, const Tensor& y, Take take) {
    size_t i = 0;
    size_t area = size_t(1) * x.size[2] * x.size[3];
    for (size_t plane = 0; plane < size_t(1) * x.size[0] * x.size[1]; plane++) {
        for (int row = 0; row < y.size[2]; row++) {
            for (int column = 0; column < y.size[3]; column++) {
                take(i++, plane * area, windowOf(pooling, x, row, column));
            }
        }
    }
}

std::vector<float> forward(const Pooling& pooling, const Tensor& x, const Tensor& y, const std::vector<float>& from) {
    std::vector<float> result(y.elements());
    eachWindow(pooling, x, y, [&](size_t to, size_t plane, const Window& window) {
        float sum = 0;
        for (int row = window.begin[0]; row < window.end[0]; row++) {
            for (int column = window.begin[1]; column < window.end[1]; column++) {
                sum += from[plane + size_t(row) * x.size[3] + column];
            }
        }
        result[to] = sum / window.divisor;
    });
    return result;
}

std::vector<float> backward(const Pooling& pooling, const Tensor& x, const Tensor& y, const std::vector<float>& dy) {
    std::vector<float> result(x.elements());
    eachWindow(pooling, x, y, [&](size_t from, size_t plane, const Window& window) {
        float share = dy[from] / window.divisor;
        for (int row = window.begin[0]; row < window.end[0]; row++) {
            for (int column = window.begin[1]; column < window.end[1]; column++) {
                result[plane + size_t(row) * x.size[3] + column] += share;
            }
        }
    });
    return result;
}

}  // namespace

}  // namespace trainyard::dnn

using namespace trainyard;
using namespace trainyard::dnn;

EXPORTED int cudnnPoolingForward(Handle* handle, const Pooling* pooling, const void* alphaAt,
                                 const Tensor* xDescriptor, const void* x, const void* betaAt,
                                 const Tensor* yDescriptor, void* y) {
    return call("cudnnPoolingForward", [&] {
        Handle& known = requireHandle(handle);
        requireShape(pooling, xDescriptor, yDescriptor);
        float alpha = scalar(alphaAt), beta = scalar(betaAt);
        std::vector<Range> touched{requireMemory(known, x, xDescriptor->bytes(), "x"),
                                   requireMemory(known, y, yDescriptor->bytes(), "y")};
        auto work = [=, how = *pooling, xOf = *xDescriptor, yOf = *yDescriptor] {
            pack(yOf, y, forward(how, xOf, yOf, unpack(xOf, x)), alpha, beta);
        };
        enqueue(*known.context, known.stream, "cudnnPoolingForward", touched, work);
    });
}

EXPORTED int cudnnPoolingBackward(Handle* handle, const Pooling* pooling, const void* alphaAt,
                                  const Tensor* yDescriptor, const void* y, const Tensor* dyDescriptor,
                                  const void* dy, const Tensor* xDescriptor, const void* x, const void* betaAt,
                                  const Tensor* dxDescriptor, void* dx) {
    return call("cudnnPoolingBackward", [&] {
        Handle& known = requireHandle(handle);
        requireShape(pooling, xDescriptor, yDescriptor);
        require(described(dyDescriptor).sameShape(*yDescriptor) && described(dxDescriptor).sameShape(*xDescriptor),
                CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "a gradient has another shape than its tensor");
        float alpha = scalar(alphaAt), beta = scalar(betaAt);
        std::vector<Range> touched{requireMemory(known, y, yDescriptor->bytes(), "y"),
                                   requireMemory(known, dy, dyDescriptor->bytes(), "dy"),
                                   requireMemory(known, x, xDescriptor->bytes(), "x"),
                                   requireMemory(known, dx, dxDescriptor->bytes(), "dx")};
        auto work = [=, how = *pooling, dyOf = *dyDescriptor, dxOf = *dxDescriptor] {
            pack(dxOf, dx, backward(how, dxOf, dyOf, unpack(dyOf, dy)), alpha, beta);
        };
        enqueue(*known.context, known.stream, "cudnnPoolingBackward", touched, work);
    });
}
