// Activations, value by value, and the addition of two branches. Activations have the same parameters, of which each
// reads what it needs: `slope` is leaky ReLU's below 0; whether a gradient needs x or y its kernel says, and what it
// does not read may be null. An output may be one of the inputs. All tensors are (n).

extern "C" __global__ void relu_forward(VALUE* y, const VALUE* x, long long n, float slope) {
    map(y, x, n, [](float x, long long) { return x <= 0 ? 0.0f : x; }); // NaN stays
}

// Reads y. At 0 the derivative is that below 0, as in PyTorch; where y is NaN the gradient passes.
extern "C" __global__ void relu_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float slope) {
    map(dx, dy, y, n, [](float dy, float y) { return y <= 0 ? 0.0f : dy; });
}

extern "C" __global__ void leaky_relu_forward(VALUE* y, const VALUE* x, long long n, float slope) {
    map(y, x, n, [=](float x, long long) { return x > 0 ? x : slope * x; });
}

// Reads x.
extern "C" __global__ void leaky_relu_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float slope) {
    map(dx, dy, x, n, [=](float dy, float x) { return x > 0 ? dy : slope * dy; });
}

// The standard normal distribution's function.
__device__ inline float normal(float x) {
    return 0.5f * (1 + erff(x * 0.70710678f)); // sqrt(1 / 2)
}

extern "C" __global__ void gelu_forward(VALUE* y, const VALUE* x, long long n, float slope) {
    map(y, x, n, [](float x, long long) { return x * normal(x); });
}

// Reads x.
extern "C" __global__ void gelu_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float slope) {
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

extern "C" __global__ void gelu_tanh_forward(VALUE* y, const VALUE* x, long long n, float slope) {
    map(y, x, n, [](float x, long long) { return 0.5f * x * (1 + geluTanh(x)); });
}

// Reads x.
extern "C" __global__ void gelu_tanh_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float slope) {
    map(dx, dy, x, n, [](float dy, float x) {
        float tanh = geluTanh(x);
        float inner = GELU_SCALE * (1 + 3 * GELU_CUBIC * x * x); // the derivative of tanh's argument
        return dy * (0.5f * (1 + tanh) + 0.5f * x * (1 - tanh * tanh) * inner);
    });
}

extern "C" __global__ void tanh_forward(VALUE* y, const VALUE* x, long long n, float slope) {
    map(y, x, n, [](float x, long long) { return tanhf(x); });
}

// Reads y.
extern "C" __global__ void tanh_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float slope) {
    map(dx, dy, y, n, [](float dy, float y) { return dy * (1 - y * y); });
}

extern "C" __global__ void sigmoid_forward(VALUE* y, const VALUE* x, long long n, float slope) {
    map(y, x, n, [](float x, long long) { return 1 / (1 + expf(-x)); });
}

// Reads y.
extern "C" __global__ void sigmoid_backward(
        VALUE* dx, const VALUE* dy, const VALUE* x, const VALUE* y, long long n, float slope) {
    map(dx, dy, y, n, [](float dy, float y) { return dy * y * (1 - y); });
}

// y = a + b
extern "C" __global__ void add(VALUE* y, const VALUE* a, const VALUE* b, long long n) {
    map(y, a, b, n, [](float a, float b) { return a + b; });
}
