// Batch norm: each channel normalised by the mean and variance of its values in all samples, fused with the layers after
// it: the sum with a residual's other branch, and ReLU. Forward and backward each read memory twice, first to sum, then
// to compute; between the two passes there is a row of sums for each device with samples of the batch.
//
// A tensor is (outer, channels, inner), as in bias.cu, and is aligned for groups. Blocks are numbered by their channels
// and then by their split of those channels' values. Only shapes decide which values a thread sums, so results are
// reproducible.

// How a tensor is divided; NormTiles in Java defines the fields.
struct Tiles {
    int outer, channels, inner;
    int wide; // whether a thread takes LANES values at a time
    int abreast;
    int splits;
};

// The positions of a tensor that a thread processes, with WIDTH neighbours in memory at each: values of WIDTH channels
// if `inner` is 1, otherwise of one channel.
template <int WIDTH>
struct Strip {
    int channels, inner;
    int channel; // of the first value at a position; where it is beyond the last, there are no positions
    int step;
    long long first, end;

    __device__ explicit Strip(Tiles of) : channels(of.channels), inner(of.inner), step(BLOCK / of.abreast) {
        int tile = blockIdx.x / of.splits;
        int split = blockIdx.x - tile * of.splits;
        channel = inner == 1 ? (tile * of.abreast + int(threadIdx.x) % of.abreast) * WIDTH : tile;
        long long positions = inner == 1 ? of.outer : (long long) of.outer * inner / WIDTH;
        first = positions * split / of.splits + int(threadIdx.x) / of.abreast;
        end = channel < channels ? positions * (split + 1) / of.splits : 0;
    }

    // Where the values of a position begin.
    __device__ long long at(long long position) const {
        if (inner == 1) {
            return position * channels + channel;
        }
        long long i = position * WIDTH;
        long long row = quotient(i, inner);
        return (row * channels + channel) * inner + (i - row * inner);
    }

    // How many channels the thread has.
    __device__ int lanes() const {
        return inner == 1 ? WIDTH : 1;
    }

    // Whose the k-th value of a position is.
    __device__ int channelOf(int k) const {
        return inner == 1 ? channel + k : channel;
    }

    // Whether this is the block's first thread with its channels.
    __device__ bool speaks() const {
        return int(threadIdx.x) < BLOCK / step && channel < channels;
    }
};

// Of some values: how many, their mean, and the sum of their squared differences to it.
struct Moments {
    float count, mean, squares;

    // Chan, Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances" (1979).
    __device__ void add(Moments other) {
        if (other.count > 0) {
            float all = count + other.count;
            float share = other.count / all;
            float apart = other.mean - mean;
            mean += apart * share;
            squares += other.squares + apart * apart * (count * share);
            count = all;
        }
    }
};

// Adds up the sums that the threads of a block have for the same channels, in a fixed order; one thread per channel gets
// the result.
template <int WIDTH, class Sum>
__device__ void addUp(Sum (&sums)[WIDTH], const Strip<WIDTH>& strip) {
    __shared__ Sum all[WIDTH][BLOCK];
    int abreast = BLOCK / strip.step;
    for (int k = 0; k < WIDTH; k++) {
        all[k][threadIdx.x] = sums[k];
    }
    __syncthreads();
    for (int half = BLOCK / 2; half >= abreast; half /= 2) {
        if (threadIdx.x < half) {
            for (int k = 0; k < WIDTH; k++) {
                all[k][threadIdx.x].add(all[k][threadIdx.x + half]);
            }
        }
        __syncthreads();
    }
    for (int k = 0; k < WIDTH; k++) {
        sums[k] = all[k][threadIdx.x];
    }
    if (strip.lanes() < WIDTH) {
        for (int k = 1; k < WIDTH; k++) {
            sums[0].add(sums[k]);
        }
    }
}

// Whether this block is the last of `blocks` to arrive, for all its threads; then it sees the other blocks' writes. The
// result does not depend on which block is the last.
//
// arrived: 0, and again for the next kernel
__device__ inline bool comesLast(int* arrived, int blocks) {
    __shared__ int last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(arrived, 1) == blocks - 1;
        if (last) {
            *arrived = 0;
        }
    }
    __syncthreads();
    __threadfence();
    return last;
}

// Calls take(strip, sums) in each thread, adds up the sums of all blocks, and calls give(channel, sum) for each channel once.
//
// parts: (splits, channels), or null where there is one split
// arrived: a number for each channel at most, all 0
template <int WIDTH, class Sum, class Take, class Give>
__device__ void sumChannels(Tiles of, Sum* parts, int* arrived, Take take, Give give) {
    Strip<WIDTH> strip(of);
    Sum sums[WIDTH] = {};
    take(strip, sums);
    addUp(sums, strip);
    if (of.splits > 1) {
        int tile = blockIdx.x / of.splits;
        int split = blockIdx.x - tile * of.splits;
        if (strip.speaks()) {
            for (int k = 0; k < WIDTH; k++) {
                if (k < strip.lanes()) {
                    parts[(long long) split * of.channels + strip.channel + k] = sums[k];
                }
            }
        }
        if (!comesLast(arrived + tile, of.splits)) {
            return;
        }
        for (int k = 0; k < WIDTH; k++) {
            sums[k] = {};
        }
        int end = strip.channel < of.channels ? of.splits : 0;
        for (int s = threadIdx.x / of.abreast; s < end; s += strip.step) {
            for (int k = 0; k < WIDTH; k++) {
                if (k < strip.lanes()) {
                    sums[k].add(parts[(long long) s * of.channels + strip.channel + k]);
                }
            }
        }
        addUp(sums, strip);
    }
    if (strip.speaks()) {
        for (int k = 0; k < WIDTH; k++) {
            if (k < strip.lanes()) {
                give(strip.channel + k, sums[k]);
            }
        }
    }
}

// Sums differences to the thread's first value, so that a channel far from zero loses no precision by cancellation.
template <int WIDTH>
__device__ void momentsOf(const VALUE* x, const Strip<WIDTH>& strip, Moments (&sums)[WIDTH]) {
    if (strip.first >= strip.end) {
        return;
    }
    float center[WIDTH];
    float sum[WIDTH] = {};
    float squares[WIDTH] = {};
    Group<VALUE, WIDTH> group = load<WIDTH>(x, strip.at(strip.first));
    for (int k = 0; k < WIDTH; k++) {
        center[k] = float(group.at[k]);
    }
    float count = 0;
    for (long long p = strip.first; p < strip.end; p += strip.step) {
        group = load<WIDTH>(x, strip.at(p));
        for (int k = 0; k < WIDTH; k++) {
            float apart = float(group.at[k]) - center[k];
            sum[k] += apart;
            squares[k] += apart * apart;
        }
        count += 1;
    }
    for (int k = 0; k < WIDTH; k++) {
        float average = sum[k] / count;
        float rest = squares[k] - sum[k] * average;
        sums[k] = {count, center[k] + average, rest < 0 ? 0 : rest}; // NaN stays
    }
}

// This device's row: each channel's mean, and the sum of the squared differences to it.
extern "C" __global__ void batch_norm_statistics(
        float* row, // (2, channels)
        float* batches, // how many there were, which this adds one to; or null
        float* parts, // (splits, channels, 3), or null for one split
        int* arrived, // (channels), all 0
        const VALUE* x, // (outer, channels, inner)
        int outer,
        int channels,
        int inner,
        int wide,
        int abreast,
        int splits) {
    Tiles of = {outer, channels, inner, wide, abreast, splits};
    auto give = [=](int c, Moments sum) {
        row[c] = sum.mean;
        row[channels + c] = sum.squares;
    };
    if (wide) {
        sumChannels<LANES>(of, (Moments*) parts, arrived, [=](const Strip<LANES>& strip, Moments (&sums)[LANES]) {
            momentsOf(x, strip, sums);
        }, give);
    } else {
        sumChannels<1>(of, (Moments*) parts, arrived, [=](const Strip<1>& strip, Moments (&sums)[1]) {
            momentsOf(x, strip, sums);
        }, give);
    }
    if (batches && thread() == 0) {
        *batches += 1;
    }
}

// A batch divided among devices, each with a row of sums: the samples of device i begin at samples * i / devices.
struct SharedBatch {
    const float* rows; // (devices, 2, channels)
    int devices, samples, area, channels;

    // Values of a channel.
    __device__ float count(int device) const {
        long long begin = (long long) samples * device / devices;
        long long end = (long long) samples * (device + 1) / devices;
        return float((end - begin) * area);
    }

    __device__ float first(int device, int c) const {
        return rows[(long long) device * 2 * channels + c];
    }

    __device__ float second(int device, int c) const {
        return rows[((long long) device * 2 + 1) * channels + c];
    }

    // Adds those of all devices for the channels of a position, always in their order.
    template <int WIDTH>
    __device__ void add(Moments (&all)[WIDTH], const Strip<WIDTH>& strip) const {
        for (int device = 0; device < devices; device++) {
            for (int k = 0; k < WIDTH; k++) {
                int c = min(strip.channelOf(k), channels - 1);
                all[k].add({count(device), first(device, c), second(device, c)});
            }
        }
    }

    // The same of sums of gradients, and divides them by the values of a channel. Who has no samples has no sums.
    template <int WIDTH>
    __device__ void average(Gradients (&all)[WIDTH], const Strip<WIDTH>& strip) const {
        float values = float((long long) samples * area);
        for (int device = 0; device < devices; device++) {
            for (int k = 0; k < WIDTH; k++) {
                int c = min(strip.channelOf(k), channels - 1);
                if (count(device) > 0) {
                    all[k].add({first(device, c) / values, second(device, c) / values});
                }
            }
        }
    }
};

// What becomes of a channel's values.
struct Normalisation {
    float mean, factor, shift;

    // weight, bias: (channels), or null for 1 and 0
    __device__ void set(float newMean, float inverse, const float* weight, const float* bias, int c) {
        mean = newMean;
        factor = weight ? inverse * weight[c] : inverse;
        shift = bias ? bias[c] : 0;
    }

    __device__ float of(float x) const {
        return (x - mean) * factor + shift;
    }
};

// y = x normalised, with the addend, through ReLU.
//
// addend: as x, or null
template <int WIDTH>
__device__ void normalise(
        VALUE* y,
        const VALUE* x,
        const VALUE* addend,
        const Strip<WIDTH>& strip,
        const Normalisation (&channels)[WIDTH],
        int relu) {
    for (long long p = strip.first; p < strip.end; p += strip.step) {
        long long at = strip.at(p);
        Group<VALUE, WIDTH> group = load<WIDTH>(x, at);
        Group<VALUE, WIDTH> other = {};
        if (addend) {
            other = load<WIDTH>(addend, at);
        }
        for (int k = 0; k < WIDTH; k++) {
            float value = channels[k].of(float(group.at[k]));
            if (addend) {
                value += float(other.at[k]);
            }
            group.at[k] = VALUE(relu && value <= 0 ? 0.0f : value); // NaN stays
        }
        store(y, at, group);
    }
}

// The statistics that a training step's forward pass writes, and the running statistics that it updates.
struct Statistics {
    float* mean;
    float* inverse; // 1 / sqrt(variance + eps)
    float* runningMean;
    float* runningVariance;
    const float* batches; // with this one, for running statistics that are means over all; null for others
    float momentum;

    __device__ void write(int c, Moments batch, float newInverse) const {
        float weight = batches ? 1 / *batches : momentum;
        mean[c] = batch.mean;
        inverse[c] = newInverse;
        runningMean[c] = (1 - weight) * runningMean[c] + weight * batch.mean;
        runningVariance[c] = (1 - weight) * runningVariance[c] + weight * (batch.squares / (batch.count - 1));
    }
};

template <int WIDTH>
__device__ void normaliseByBatch(
        VALUE* y,
        const VALUE* x,
        const VALUE* addend,
        const float* weight,
        const float* bias,
        SharedBatch batch,
        Statistics statistics,
        float eps,
        int relu,
        Tiles of) {
    Strip<WIDTH> strip(of);
    Normalisation channels[WIDTH] = {};
    Moments moments[WIDTH] = {};
    batch.add(moments, strip);
    bool writes = blockIdx.x % of.splits == 0 && strip.speaks();
    for (int k = 0; k < WIDTH; k++) {
        int c = strip.channelOf(k);
        if (c < of.channels) {
            float inverse = 1 / sqrtf(moments[k].squares / moments[k].count + eps);
            channels[k].set(moments[k].mean, inverse, weight, bias, c);
            if (writes && k < strip.lanes()) {
                statistics.write(c, moments[k], inverse);
            }
        }
    }
    normalise(y, x, addend, strip, channels, relu);
}

extern "C" __global__ void batch_norm_forward(
        VALUE* y, // (outer, channels, inner), as x
        const VALUE* x,
        const VALUE* addend, // as x, or null
        const float* weight, // (channels), or null for 1
        const float* bias, // (channels), or null for 0
        const float* rows, // (devices, 2, channels): of batch_norm_statistics
        int devices,
        int samples, // of the whole batch
        int area,
        float* mean, // (channels), as all below
        float* inverse, // 1 / sqrt(variance + eps)
        float* runningMean,
        float* runningVariance, // unbiased
        const float* batches, // one number: how many there were with this one; null where the momentum is constant
        float momentum,
        float eps,
        int relu,
        int outer,
        int channels,
        int inner,
        int wide,
        int abreast,
        int splits) {
    Tiles of = {outer, channels, inner, wide, abreast, splits};
    SharedBatch batch = {rows, devices, samples, area, channels};
    Statistics statistics = {mean, inverse, runningMean, runningVariance, batches, momentum};
    if (wide) {
        normaliseByBatch<LANES>(y, x, addend, weight, bias, batch, statistics, eps, relu, of);
    } else {
        normaliseByBatch<1>(y, x, addend, weight, bias, batch, statistics, eps, relu, of);
    }
}

template <int WIDTH>
__device__ void normaliseByRunning(
        VALUE* y,
        const VALUE* x,
        const VALUE* addend,
        const float* weight,
        const float* bias,
        const float* mean,
        const float* variance,
        float eps,
        int relu,
        Tiles of) {
    Strip<WIDTH> strip(of);
    Normalisation channels[WIDTH] = {};
    for (int k = 0; k < WIDTH; k++) {
        int c = strip.channelOf(k);
        if (c < of.channels) {
            channels[k].set(mean[c], 1 / sqrtf(variance[c] + eps), weight, bias, c);
        }
    }
    normalise(y, x, addend, strip, channels, relu);
}

// By the running statistics.
extern "C" __global__ void batch_norm_evaluation(
        VALUE* y, // (outer, channels, inner), as x
        const VALUE* x,
        const VALUE* addend, // as x, or null
        const float* weight, // (channels), or null for 1
        const float* bias, // (channels), or null for 0
        const float* runningMean, // (channels)
        const float* runningVariance, // (channels)
        float eps,
        int relu,
        int outer,
        int channels,
        int inner,
        int wide,
        int abreast,
        int splits) {
    Tiles of = {outer, channels, inner, wide, abreast, splits};
    if (wide) {
        normaliseByRunning<LANES>(y, x, addend, weight, bias, runningMean, runningVariance, eps, relu, of);
    } else {
        normaliseByRunning<1>(y, x, addend, weight, bias, runningMean, runningVariance, eps, relu, of);
    }
}

// The gradient of a ReLU's input. The mask comes from the ReLU's output, or, without an added branch, from computing the
// output again, which needs no memory.
struct ReluGradient {
    int relu; // 0: no ReLU
    bool again;

    // At 0 the derivative is that below 0; where y is NaN the gradient passes.
    __device__ float of(float dy, float y, const Normalisation& channel, float x) const {
        float output = again ? float(VALUE(channel.of(x))) : y;
        return relu && output <= 0 ? 0.0f : dy;
    }
};

// The parameters and statistics of a channel in the backward pass.
struct NormChannels {
    const float* weight; // (channels), or null for 1
    const float* bias; // (channels), or null for 0
    const float* mean; // (channels)
    const float* inverse; // (channels)

    __device__ Normalisation of(int c) const {
        Normalisation channel;
        channel.set(mean[c], inverse[c], weight, bias, c);
        return channel;
    }
};

template <int WIDTH>
__device__ void gradientSums(
        VALUE* masked,
        const VALUE* dy,
        const VALUE* x,
        const VALUE* y,
        NormChannels channels,
        ReluGradient relu,
        const Strip<WIDTH>& strip,
        Gradients (&sums)[WIDTH]) {
    Normalisation of[WIDTH] = {};
    float inverse[WIDTH] = {};
    for (int k = 0; k < WIDTH; k++) {
        int c = strip.channelOf(k);
        if (c < strip.channels) {
            of[k] = channels.of(c);
            inverse[k] = channels.inverse[c];
        }
    }
    for (long long p = strip.first; p < strip.end; p += strip.step) {
        long long at = strip.at(p);
        Group<VALUE, WIDTH> gradient = load<WIDTH>(dy, at);
        Group<VALUE, WIDTH> input = load<WIDTH>(x, at);
        Group<VALUE, WIDTH> output = {};
        if (y) {
            output = load<WIDTH>(y, at);
        }
        for (int k = 0; k < WIDTH; k++) {
            float value = float(input.at[k]);
            float g = relu.of(float(gradient.at[k]), float(output.at[k]), of[k], value);
            gradient.at[k] = VALUE(g);
            sums[k].add(g, (value - of[k].mean) * inverse[k]);
        }
        if (masked) {
            store(masked, at, gradient);
        }
    }
}

// This device's row: of each channel the sums of the gradient that comes through the ReLU, and of its products with the
// normalised values. They are its share of the gradients of bias and weight, too.
extern "C" __global__ void batch_norm_gradient_sums(
        float* row, // (2, channels)
        float* weightGradient, // (channels), or null
        float* biasGradient, // (channels), or null
        VALUE* masked, // as x: the gradient that comes through the ReLU; or null
        float* parts, // (splits, channels, 2), or null for one split
        int* arrived, // (channels), all 0
        const VALUE* dy, // (outer, channels, inner), as x
        const VALUE* x,
        const VALUE* y, // as x: the forward pass's output; null without ReLU or without an added branch
        const float* weight, // (channels), or null for 1
        const float* bias, // (channels), or null for 0
        const float* mean, // (channels)
        const float* inverse, // (channels)
        int relu,
        int outer,
        int channels,
        int inner,
        int wide,
        int abreast,
        int splits) {
    Tiles of = {outer, channels, inner, wide, abreast, splits};
    NormChannels norms = {weight, bias, mean, inverse};
    ReluGradient through = {relu, !y};
    auto give = [=](int c, Gradients sum) {
        row[c] = sum.shift;
        row[channels + c] = sum.scale;
        if (weightGradient) {
            weightGradient[c] = sum.scale;
            biasGradient[c] = sum.shift;
        }
    };
    if (wide) {
        sumChannels<LANES>(of, (Gradients*) parts, arrived, [=](const Strip<LANES>& strip, Gradients (&sums)[LANES]) {
            gradientSums(masked, dy, x, y, norms, through, strip, sums);
        }, give);
    } else {
        sumChannels<1>(of, (Gradients*) parts, arrived, [=](const Strip<1>& strip, Gradients (&sums)[1]) {
            gradientSums(masked, dy, x, y, norms, through, strip, sums);
        }, give);
    }
}

// With h = (x - mean) / deviation: dx = (g - average g - h * average g h) * weight / deviation.
template <int WIDTH>
__device__ void inputGradient(
        VALUE* dx,
        const VALUE* dy,
        const VALUE* x,
        const VALUE* y,
        NormChannels channels,
        ReluGradient relu,
        SharedBatch batch,
        Tiles tiles) {
    Strip<WIDTH> strip(tiles);
    Normalisation of[WIDTH] = {};
    float inverse[WIDTH] = {};
    Gradients average[WIDTH] = {};
    batch.average(average, strip);
    for (int k = 0; k < WIDTH; k++) {
        int c = strip.channelOf(k);
        if (c < strip.channels) {
            of[k] = channels.of(c);
            inverse[k] = channels.inverse[c];
        }
    }
    for (long long p = strip.first; p < strip.end; p += strip.step) {
        long long at = strip.at(p);
        Group<VALUE, WIDTH> gradient = load<WIDTH>(dy, at);
        Group<VALUE, WIDTH> input = load<WIDTH>(x, at);
        Group<VALUE, WIDTH> output = {};
        if (y) {
            output = load<WIDTH>(y, at);
        }
        for (int k = 0; k < WIDTH; k++) {
            float value = float(input.at[k]);
            float g = relu.of(float(gradient.at[k]), float(output.at[k]), of[k], value);
            float h = (value - of[k].mean) * inverse[k];
            gradient.at[k] = VALUE((g - average[k].shift - h * average[k].scale) * of[k].factor);
        }
        store(dx, at, gradient);
    }
}

extern "C" __global__ void batch_norm_backward(
        VALUE* dx, // (outer, channels, inner), as x
        const VALUE* dy,
        const VALUE* x,
        const VALUE* y, // the forward pass's output; null without ReLU or without an added branch
        const float* weight, // (channels), or null for 1
        const float* bias, // (channels), or null for 0
        const float* mean, // (channels)
        const float* inverse, // (channels)
        const float* rows, // (devices, 2, channels): of batch_norm_gradient_sums
        int devices,
        int samples, // of the whole batch
        int area,
        int relu, // 0 also where dy has come through it already
        int outer,
        int channels,
        int inner,
        int wide,
        int abreast,
        int splits) {
    Tiles of = {outer, channels, inner, wide, abreast, splits};
    NormChannels norms = {weight, bias, mean, inverse};
    ReluGradient through = {relu, !y};
    SharedBatch batch = {rows, devices, samples, area, channels};
    if (wide) {
        inputGradient<LANES>(dx, dy, x, y, norms, through, batch, of);
    } else {
        inputGradient<1>(dx, dy, x, y, norms, through, batch, of);
    }
}
