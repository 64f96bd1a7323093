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

// What this thread sums up of one channel of dy: each BLOCKth group of WIDTH neighbours, BATCH groups at a time, all
// of which are loaded before the first is needed.
template <int WIDTH>
__device__ float partOfChannel(const VALUE* dy, int channel, int outer, int channels, int inner) {
    const int BATCH = 8;
    int across = inner / WIDTH; // groups in a row of `inner` values
    int row = threadIdx.x / across;
    int at = threadIdx.x % across;
    float sum = 0;
    while (row < outer) {
        Group<VALUE, WIDTH> groups[BATCH];
        bool present[BATCH];
        for (int b = 0; b < BATCH; b++) {
            present[b] = row < outer;
            long long begin = ((long long) (present[b] ? row : 0) * channels + channel) * inner;
            groups[b] = load<WIDTH>(dy, begin + at * WIDTH);
            row += BLOCK / across;
            at += BLOCK % across;
            if (at >= across) {
                at -= across;
                row++;
            }
        }
        for (int b = 0; b < BATCH; b++) {
            for (int k = 0; k < WIDTH; k++) {
                sum += present[b] ? float(groups[b].at[k]) : 0;
            }
        }
    }
    return sum;
}

// gradient = the sum of dy by channel. A block a channel. With fewer registers the compiler would not load as said.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) bias_gradient(
        float* gradient, // (channels)
        const VALUE* dy, // (outer, channels, inner)
        int outer,
        int channels,
        int inner) {
    __shared__ float sums[BLOCK];
    int channel = blockIdx.x;
    float sum = inner % LANES == 0 && aligned<LANES>(dy)
            ? partOfChannel<LANES>(dy, channel, outer, channels, inner)
            : partOfChannel<1>(dy, channel, outer, channels, inner);
    sum = blockSum(sums, sum);
    if (threadIdx.x == 0) {
        gradient[channel] = sum;
    }
}
