// Activations, value by value, and the addition of two branches. All activations have the same parameters; each kernel
// defines `a` and `b` and whether its gradient reads x or y. Pointers that it does not read may be null. An output may
// be one of the inputs. All tensors are (n).

extern "C" __global__ void relu_forward(VALUE* y, const VALUE* x, long long n, float a, float b) {
    map(y, x, n, [](float x, long long) { return x <= 0 ? 0.0f : x; }); // NaN stays
}

// Reads y. At 0 the derivative is that below 0, as in PyTorch; where y is NaN the gradient passes.
extern "C" __global__ void relu_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float a, float b) {
    map(dx, dy, y, n, [](float dy, float y) { return y <= 0 ? 0.0f : dy; });
}

// a is the slope below 0.
extern "C" __global__ void leaky_relu_forward(VALUE* y, const VALUE* x, long long n, float a, float b) {
    map(y, x, n, [=](float x, long long) { return x > 0 ? x : a * x; });
}

// Reads x.
extern "C" __global__ void leaky_relu_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float a, float b) {
    map(dx, dy, x, n, [=](float dy, float x) { return x > 0 ? dy : a * dy; });
}

// The standard normal distribution's function.
__device__ inline float normal(float x) {
    return 0.5f * (1 + erff(x * 0.70710678f)); // sqrt(1 / 2)
}

extern "C" __global__ void gelu_forward(VALUE* y, const VALUE* x, long long n, float a, float b) {
    map(y, x, n, [](float x, long long) { return x * normal(x); });
}

// Reads x.
extern "C" __global__ void gelu_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float a, float b) {
    map(dx, dy, x, n, [](float dy, float x) {
        float density = 0.39894228f * expf(-0.5f * x * x); // sqrt(1 / 2 pi)
        return dy * (normal(x) + x * density);
    });
}

const float GELU_SCALE = 0.79788456f; // sqrt(2 / pi)
const float GELU_CUBIC = 0.044715f;

// gelu approximately: normal(x) = (1 + this) / 2.
__device__ inline float geluTanh(float x) {
    return tanhf(GELU_SCALE * (x + GELU_CUBIC * x * x * x));
}

extern "C" __global__ void gelu_tanh_forward(VALUE* y, const VALUE* x, long long n, float a, float b) {
    map(y, x, n, [](float x, long long) { return 0.5f * x * (1 + geluTanh(x)); });
}

// Reads x.
extern "C" __global__ void gelu_tanh_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float a, float b) {
    map(dx, dy, x, n, [](float dy, float x) {
        float tanh = geluTanh(x);
        float inner = GELU_SCALE * (1 + 3 * GELU_CUBIC * x * x); // the derivative of tanh's argument
        return dy * (0.5f * (1 + tanh) + 0.5f * x * (1 - tanh * tanh) * inner);
    });
}

extern "C" __global__ void tanh_forward(VALUE* y, const VALUE* x, long long n, float a, float b) {
    map(y, x, n, [](float x, long long) { return tanhf(x); });
}

// Reads y.
extern "C" __global__ void tanh_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float a, float b) {
    map(dx, dy, y, n, [](float dy, float y) { return dy * (1 - y * y); });
}

extern "C" __global__ void sigmoid_forward(VALUE* y, const VALUE* x, long long n, float a, float b) {
    map(y, x, n, [](float x, long long) { return 1 / (1 + expf(-x)); });
}

// Reads y.
extern "C" __global__ void sigmoid_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float a, float b) {
    map(dx, dy, y, n, [](float dy, float y) { return dy * y * (1 - y); });
}

extern "C" __global__ void silu_forward(VALUE* y, const VALUE* x, long long n, float a, float b) {
    map(y, x, n, [](float x, long long) { return x / (1 + expf(-x)); });
}

// Reads x.
extern "C" __global__ void silu_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float a, float b) {
    map(dx, dy, x, n, [](float dy, float x) {
        float sigmoid = 1 / (1 + expf(-x));
        return dy * (sigmoid * (1 + x * (1 - sigmoid)));
    });
}

// ln(1 + e^(a x)) / a; x itself where a x is above b.
extern "C" __global__ void softplus_forward(VALUE* y, const VALUE* x, long long n, float a, float b) {
    map(y, x, n, [=](float x, long long) { return a * x > b ? x : log1pf(expf(a * x)) / a; });
}

// Reads x.
extern "C" __global__ void softplus_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float a, float b) {
    map(dx, dy, x, n, [=](float dy, float x) {
        float power = expf(a * x);
        return a * x > b ? dy : dy * (power / (power + 1));
    });
}

extern "C" __global__ void hardswish_forward(VALUE* y, const VALUE* x, long long n, float a, float b) {
    map(y, x, n, [](float x, long long) { return x <= -3 ? x * 0 : x < 3 ? x * (x + 3) / 6 : x; });
}

// Reads x. Where x is NaN the gradient passes.
extern "C" __global__ void hardswish_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float a, float b) {
    map(dx, dy, x, n, [](float dy, float x) { return x <= -3 ? 0.0f : x < 3 ? dy * (x / 3 + 0.5f) : dy; });
}

// From a to b.
extern "C" __global__ void clamp_forward(VALUE* y, const VALUE* x, long long n, float a, float b) {
    map(y, x, n, [=](float x, long long) { return x < a ? a : x > b ? b : x; }); // NaN stays
}

// Reads x. At the bounds the derivative is that beyond them, as in PyTorch; where x is NaN the gradient passes.
extern "C" __global__ void clamp_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float a, float b) {
    map(dx, dy, x, n, [=](float dy, float x) { return x <= a || x >= b ? 0.0f : dy; });
}

// y = a + b
extern "C" __global__ void add(VALUE* y, const VALUE* a, const VALUE* b, long long n) {
    map(y, a, b, n, [](float a, float b) { return a + b; });
}
