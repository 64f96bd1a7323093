// Batch norm over samples, rows and columns. Its sums are doubles.
#include <cmath>

#include "cudnn.h"

namespace trainyard::dnn {

namespace {

constexpr int SPATIAL = 1, SPATIAL_PERSISTENT = 2;  // cudnnBatchNormMode_t

void requireShapes(int mode, const Tensor* xDescriptor, const Tensor* yDescriptor, const Tensor* parameters,
                   double epsilon) {
    require(mode == SPATIAL || mode == SPATIAL_PERSISTENT, CUDNN_STATUS_NOT_SUPPORTED,
            "the double has batch norm over space only");
    const Tensor& x = described(xDescriptor);
    const Tensor& y = described(yDescriptor);
    const Tensor& derived = described(parameters);
    require(x.sameShape(y) && x.number == y.number, CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "x and y differ");
    require(derived.number == Number::FLOAT && derived.elements() == size_t(x.size[1]) && derived.size[1] == x.size[1],
            CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "the parameters are not floats, one a channel");
    require(epsilon >= 0, CUDNN_STATUS_BAD_PARAM, "epsilon is negative");
}

// One channel's values of packed images.
struct Channel {
    const Tensor& of;
    int number;

    size_t area() const { return size_t(1) * of.size[2] * of.size[3]; }
    size_t count() const { return of.size[0] * area(); }

    template <class Take>
    void each(Take take) const {
        for (int n = 0; n < of.size[0]; n++) {
            size_t begin = (size_t(n) * of.size[1] + number) * area();
            for (size_t i = begin; i < begin + area(); i++) take(i);
        }
    }
};

struct Statistics {
    double mean, variance;  // of the batch, divided by the count
};

Statistics statisticsOf(const Channel& channel, const std::vector<float>& x) {
    double sum = 0, squares = 0;
    channel.each([&](size_t i) { sum += x[i]; });
    double mean = sum / channel.count();
    channel.each([&](size_t i) { squares += (x[i] - mean) * (x[i] - mean); });
    return {mean, squares / channel.count()};
}

// Where the running and the saved statistics go; pairs may be null.
struct Outputs {
    float *runningMean, *runningVariance, *savedMean, *savedInverse;
    double factor;

    void take(int channel, const Statistics& batch, double inverse, size_t count) const {
        if (runningMean != nullptr) {
            double unbiased = count > 1 ? batch.variance * count / (count - 1) : batch.variance;
            runningMean[channel] = static_cast<float>((1 - factor) * runningMean[channel] + factor * batch.mean);
            runningVariance[channel] = static_cast<float>((1 - factor) * runningVariance[channel] + factor * unbiased);
        }
        if (savedMean != nullptr) {
            savedMean[channel] = static_cast<float>(batch.mean);
            savedInverse[channel] = static_cast<float>(inverse);
        }
    }
};

void normalize(const Channel& channel, std::vector<float>& values, double mean, double inverse, float scale,
               float bias) {
    double factor = inverse * scale;
    channel.each([&](size_t i) { values[i] = static_cast<float>((values[i] - mean) * factor + bias); });
}

void requirePair(const void* a, const void* b) {
    require((a == nullptr) == (b == nullptr), CUDNN_STATUS_BAD_PARAM, "one of a pair of statistics is null");
}

// Memory of one float a channel; null stays null.
void touch(std::vector<Range>& touched, Handle& handle, const void* pointer, const Tensor& parameters,
           const char* what) {
    if (pointer != nullptr) touched.push_back(requireMemory(handle, pointer, parameters.bytes(), what));
}

// dy in, dx out.
void backward(const Channel& channel, const std::vector<float>& x, std::vector<float>& dy, double mean,
              double inverse, float scale, double& scaleGradient, double& biasGradient) {
    scaleGradient = biasGradient = 0;
    channel.each([&](size_t i) {
        biasGradient += dy[i];
        scaleGradient += dy[i] * (x[i] - mean) * inverse;
    });
    double count = channel.count(), factor = scale * inverse / count;
    double bias = biasGradient, slope = scaleGradient * inverse;
    channel.each([&](size_t i) {
        dy[i] = static_cast<float>(factor * (count * dy[i] - bias - (x[i] - mean) * slope));
    });
}

}  // namespace

}  // namespace trainyard::dnn

using namespace trainyard;
using namespace trainyard::dnn;

EXPORTED int cudnnBatchNormalizationForwardTraining(Handle* handle, int mode, const void* alphaAt, const void* betaAt,
                                                    const Tensor* xDescriptor, const void* x,
                                                    const Tensor* yDescriptor, void* y, const Tensor* parameters,
                                                    const float* scale, const float* bias, double factor,
                                                    float* runningMean, float* runningVariance, double epsilon,
                                                    float* savedMean, float* savedInverse) {
    return call("cudnnBatchNormalizationForwardTraining", [&] {
        Handle& known = requireHandle(handle);
        requireShapes(mode, xDescriptor, yDescriptor, parameters, epsilon);
        requirePair(runningMean, runningVariance);
        requirePair(savedMean, savedInverse);
        float alpha = scalar(alphaAt), beta = scalar(betaAt);
        std::vector<Range> touched{requireMemory(known, x, xDescriptor->bytes(), "x"),
                                   requireMemory(known, y, yDescriptor->bytes(), "y"),
                                   requireMemory(known, scale, parameters->bytes(), "scale"),
                                   requireMemory(known, bias, parameters->bytes(), "bias")};
        touch(touched, known, runningMean, *parameters, "running mean");
        touch(touched, known, runningVariance, *parameters, "running variance");
        touch(touched, known, savedMean, *parameters, "saved mean");
        touch(touched, known, savedInverse, *parameters, "saved inverse deviation");
        Outputs outputs{runningMean, runningVariance, savedMean, savedInverse, factor};
        auto work = [=, xOf = *xDescriptor, yOf = *yDescriptor] {
            std::vector<float> values = unpack(xOf, x);
            for (int c = 0; c < xOf.size[1]; c++) {
                Channel channel{xOf, c};
                Statistics batch = statisticsOf(channel, values);
                double inverse = 1 / std::sqrt(batch.variance + epsilon);
                outputs.take(c, batch, inverse, channel.count());
                normalize(channel, values, batch.mean, inverse, scale[c], bias[c]);
            }
            pack(yOf, y, values, alpha, beta);
        };
        enqueue(*known.context, known.stream, "cudnnBatchNormalizationForwardTraining", touched, work);
    });
}

EXPORTED int cudnnBatchNormalizationForwardInference(Handle* handle, int mode, const void* alphaAt,
                                                     const void* betaAt, const Tensor* xDescriptor, const void* x,
                                                     const Tensor* yDescriptor, void* y, const Tensor* parameters,
                                                     const float* scale, const float* bias, const float* mean,
                                                     const float* variance, double epsilon) {
    return call("cudnnBatchNormalizationForwardInference", [&] {
        Handle& known = requireHandle(handle);
        requireShapes(mode, xDescriptor, yDescriptor, parameters, epsilon);
        float alpha = scalar(alphaAt), beta = scalar(betaAt);
        std::vector<Range> touched{requireMemory(known, x, xDescriptor->bytes(), "x"),
                                   requireMemory(known, y, yDescriptor->bytes(), "y"),
                                   requireMemory(known, scale, parameters->bytes(), "scale"),
                                   requireMemory(known, bias, parameters->bytes(), "bias"),
                                   requireMemory(known, mean, parameters->bytes(), "mean"),
                                   requireMemory(known, variance, parameters->bytes(), "variance")};
        auto work = [=, xOf = *xDescriptor, yOf = *yDescriptor] {
            std::vector<float> values = unpack(xOf, x);
            for (int c = 0; c < xOf.size[1]; c++) {
                double inverse = 1 / std::sqrt(variance[c] + epsilon);
                normalize({xOf, c}, values, mean[c], inverse, scale[c], bias[c]);
            }
            pack(yOf, y, values, alpha, beta);
        };
        enqueue(*known.context, known.stream, "cudnnBatchNormalizationForwardInference", touched, work);
    });
}

EXPORTED int cudnnBatchNormalizationBackward(Handle* handle, int mode, const void* alphaAt, const void* betaAt,
                                             const void* parameterAlphaAt, const void* parameterBetaAt,
                                             const Tensor* xDescriptor, const void* x, const Tensor* dyDescriptor,
                                             const void* dy, const Tensor* dxDescriptor, void* dx,
                                             const Tensor* parameters, const float* scale, float* scaleGradient,
                                             float* biasGradient, double epsilon, const float* savedMean,
                                             const float* savedInverse) {
    return call("cudnnBatchNormalizationBackward", [&] {
        Handle& known = requireHandle(handle);
        requireShapes(mode, xDescriptor, dyDescriptor, parameters, epsilon);
        require(described(dxDescriptor).sameShape(*xDescriptor), CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH,
                "dx has another shape than x");
        requirePair(savedMean, savedInverse);
        float alpha = scalar(alphaAt), beta = scalar(betaAt);
        float parameterAlpha = scalar(parameterAlphaAt), parameterBeta = scalar(parameterBetaAt);
        std::vector<Range> touched{requireMemory(known, x, xDescriptor->bytes(), "x"),
                                   requireMemory(known, dy, dyDescriptor->bytes(), "dy"),
                                   requireMemory(known, dx, dxDescriptor->bytes(), "dx"),
                                   requireMemory(known, scale, parameters->bytes(), "scale"),
                                   requireMemory(known, scaleGradient, parameters->bytes(), "scale's gradient"),
                                   requireMemory(known, biasGradient, parameters->bytes(), "bias's gradient")};
        touch(touched, known, savedMean, *parameters, "saved mean");
        touch(touched, known, savedInverse, *parameters, "saved inverse deviation");
        auto work = [=, xOf = *xDescriptor, dyOf = *dyDescriptor, dxOf = *dxDescriptor] {
            std::vector<float> values = unpack(xOf, x), gradient = unpack(dyOf, dy);
            for (int c = 0; c < xOf.size[1]; c++) {
                Channel channel{xOf, c};
                double mean, inverse, ofScale, ofBias;
                if (savedMean != nullptr) {
                    mean = savedMean[c];
                    inverse = savedInverse[c];
                } else {
                    Statistics batch = statisticsOf(channel, values);
                    mean = batch.mean;
                    inverse = 1 / std::sqrt(batch.variance + epsilon);
                }
                backward(channel, values, gradient, mean, inverse, scale[c], ofScale, ofBias);
                blend(scaleGradient, Number::FLOAT, c, static_cast<float>(ofScale), parameterAlpha, parameterBeta);
                blend(biasGradient, Number::FLOAT, c, static_cast<float>(ofBias), parameterAlpha, parameterBeta);
            }
            pack(dxOf, dx, gradient, alpha, beta);
        };
        enqueue(*known.context, known.stream, "cudnnBatchNormalizationBackward", touched, work);
    });
}
