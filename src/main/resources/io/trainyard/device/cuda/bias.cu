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

const int BATCH = 8; // groups that a thread loads before it needs the first

// What this thread sums up of one channel of x (outer, channels, inner): each BLOCKth group of WIDTH neighbours.
template <int WIDTH, class Type>
__device__ float partOfChannel(const Type* x, int channel, int outer, int channels, int inner) {
    int across = inner / WIDTH; // groups in a row of `inner` values
    int row = threadIdx.x / across;
    int at = threadIdx.x % across;
    float sum = 0;
    while (row < outer) {
        Group<Type, WIDTH> groups[BATCH];
        bool present[BATCH];
        for (int b = 0; b < BATCH; b++) {
            present[b] = row < outer;
            long long begin = ((long long) (present[b] ? row : 0) * channels + channel) * inner;
            groups[b] = load<WIDTH>(x, begin + at * WIDTH);
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

// gradient = the sum of dy by channel. A block per channel. With fewer registers the compiler would reorder the loads.
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

// The sums of the rows `begin` up to `end`, without it, for each channel.
template <int WIDTH>
__device__ void sumRows(
        float* sums, // (channels)
        const VALUE* dy, // (rows, channels)
        int begin,
        int end,
        int channels) {
    __shared__ Group<float, WIDTH> parts[BLOCK];
    int groups = channels / WIDTH;
    for (int first = 0; first < groups; first += BLOCK) {
        int width = min(groups - first, BLOCK);
        int height = BLOCK / width; // rows that the block sums at a time
        int group = first + threadIdx.x % width;
        int row = begin + threadIdx.x / width;
        int last = threadIdx.x < height * width ? end : begin;
        Group<float, WIDTH> part = {};
        while (row < last) {
            Group<VALUE, WIDTH> batch[BATCH];
            for (int b = 0; b < BATCH; b++) {
                int present = min(row + b * height, last - 1);
                batch[b] = load<WIDTH>(dy, (long long) present * channels + group * WIDTH);
            }
            for (int b = 0; b < BATCH; b++, row += height) {
                for (int k = 0; k < WIDTH; k++) {
                    part.at[k] += row < last ? float(batch[b].at[k]) : 0;
                }
            }
        }
        parts[threadIdx.x] = part;
        __syncthreads();
        if (threadIdx.x < width) {
            for (int other = 1; other < height; other++) {
                for (int k = 0; k < WIDTH; k++) {
                    part.at[k] += parts[other * width + threadIdx.x].at[k];
                }
            }
            store(sums, group * WIDTH, part);
        }
        __syncthreads();
    }
}

// The gradient of a bias in parts, one per block, for tensors with many rows, where bias_gradient would have few blocks
// that each read a value of every row.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) bias_gradient_parts(
        float* parts, // (blocks, channels)
        const VALUE* dy, // (outer, channels)
        int outer,
        int channels) {
    float* sums = parts + (long long) blockIdx.x * channels;
    int begin = (long long) outer * blockIdx.x / gridDim.x;
    int end = (long long) outer * (blockIdx.x + 1) / gridDim.x;
    if (channels % LANES == 0 && aligned<LANES>(dy) && aligned<LANES>(parts)) {
        sumRows<LANES>(sums, dy, begin, end, channels);
    } else {
        sumRows<1>(sums, dy, begin, end, channels);
    }
}

// gradient = the sum of the parts. A block a channel.
extern "C" __global__ void add_parts(
        float* gradient, // (channels)
        const float* parts, // (count, channels)
        int count,
        int channels) {
    __shared__ float sums[BLOCK];
    float sum = blockSum(sums, partOfChannel<1>(parts, blockIdx.x, count, channels, 1));
    if (threadIdx.x == 0) {
        gradient[blockIdx.x] = sum;
    }
}
