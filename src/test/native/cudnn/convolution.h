// The loops of convolutions, for graph.cpp.
#pragma once

#include "cudnn.h"

namespace trainyard::dnn {

struct Convolution {
    int padding[2], stride[2], dilation[2];
    int groups;
};

enum Direction { FORWARD, TO_DATA, TO_FILTER };

struct Shape {
    int samples, channels, rows, columns;              // of x
    int kernels, kernelRows, kernelColumns;            // of w
    int outRows, outColumns;                           // of y
    Convolution how;

    int groupChannels() const { return channels / how.groups; }
    int groupKernels() const { return kernels / how.groups; }
    size_t area() const { return size_t(1) * rows * columns; }
    size_t outArea() const { return size_t(1) * outRows * outColumns; }
    size_t patch() const { return size_t(1) * groupChannels() * kernelRows * kernelColumns; }
};

// Where `first` is not 0, the sums begin elsewhere: with that sample, or that kernel of each group.
std::vector<float> forward(const Shape& s, const std::vector<float>& x, const std::vector<float>& w);
std::vector<float> toFilter(const Shape& s, const std::vector<float>& x, const std::vector<float>& dy, int first);
std::vector<float> toData(const Shape& s, const std::vector<float>& w, const std::vector<float>& dy, int first);

}  // namespace trainyard::dnn
