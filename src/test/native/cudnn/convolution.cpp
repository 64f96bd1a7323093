// Convolutions: each image's patches as the columns of a matrix, times the kernels.
#include "convolution.h"

#include <algorithm>
#include <cstring>

#include "../loops/product.h"

namespace trainyard::dnn {

namespace {

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

}  // namespace

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

}  // namespace trainyard::dnn
