// Biases, one a channel. A tensor is (outer, channels, inner): images with their channels first have their area as
// `inner`, images with their channels last and rows of features have 1.

// y = f(y + bias). Its channel is divided out once for a group, and counted on within it.
template <class Function>
__device__ void addBias(VALUE* y, const float* bias, long long n, int channels, int inner, Function f) {
    for (long long i = thread() * LANES; i < n; i += threads() * LANES) {
        Group<VALUE, LANES> group = load<LANES>(y, i, n);
        long long row = quotient(i, inner);
        int at = i - row * inner;
        int channel = row - quotient(row, channels) * channels;
        for (int k = 0; k < LANES; k++) {
            group.at[k] = VALUE(f(float(group.at[k]) + bias[channel]));
            if (++at == inner) {
                at = 0;
                channel = channel + 1 == channels ? 0 : channel + 1;
            }
        }
        store(y, i, n, group);
    }
}

extern "C" __global__ void bias_add(
        VALUE* y, // (outer, channels, inner), n in all
        const float* bias, // (channels)
        long long n,
        int channels,
        int inner) {
    addBias(y, bias, n, channels, inner, [](float x) { return x; });
}

// y = relu(y + bias)
extern "C" __global__ void bias_relu(
        VALUE* y, // (outer, channels, inner), n in all
        const float* bias, // (channels)
        long long n,
        int channels,
        int inner) {
    addBias(y, bias, n, channels, inner, [](float x) { return x <= 0 ? 0.0f : x; }); // NaN stays
}

// gradient = the sum of dy by channel. A block a channel.
extern "C" __global__ void bias_gradient(
        float* gradient, // (channels)
        const VALUE* dy, // (outer, channels, inner)
        int outer,
        int channels,
        int inner) {
    __shared__ float sums[BLOCK];
    int channel = blockIdx.x;
    float sum = 0;
    for (long long j = threadIdx.x; j < (long long) outer * inner; j += BLOCK) {
        long long o = quotient(j, inner);
        sum += float(dy[(o * channels + channel) * inner + (j - o * inner)]);
    }
    sum = blockSum(sums, sum);
    if (threadIdx.x == 0) {
        gradient[channel] = sum;
    }
}
