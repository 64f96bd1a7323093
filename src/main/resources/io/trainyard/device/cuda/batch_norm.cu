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
    int tile, split; // of the block
    int together; // channels of the block, a power of two and at most WARP
    int channel; // of the first value at a position; where it is beyond the last, there are no positions
    int step;
    long long positions; // of all blocks with these channels
    long long each, longer; // positions of a block, and how many blocks have one more
    long long begin, first, end; // where the block and the thread begin, and where both end

    __device__ explicit Strip(Tiles of) : channels(of.channels), inner(of.inner), step(BLOCK / of.abreast) {
        tile = blockIdx.x / of.splits;
        split = blockIdx.x - tile * of.splits;
        together = inner == 1 ? of.abreast * WIDTH : 1;
        channel = tile * together + (inner == 1 ? int(threadIdx.x) % of.abreast * WIDTH : 0);
        positions = inner == 1 ? of.outer : (long long) of.outer * inner / WIDTH;
        each = quotient(positions, of.splits);
        longer = positions - each * of.splits;
        begin = each * split + min((long long) split, longer);
        end = begin + each + (split < longer);
        first = channel < channels ? begin + int(threadIdx.x) / of.abreast : end;
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

    // Values of a channel at `number` positions.
    __device__ float count(long long number) const {
        return inner == 1 ? number : number * WIDTH;
    }

    // Calls make(channel) for each channel of the block once, each in another thread, and gives threads the results for
    // their channels.
    template <class Result, class Make>
    __device__ void share(Result (&results)[WIDTH], Make make) const {
        __shared__ Result all[WARP];
        int c = tile * together + threadIdx.x;
        if (int(threadIdx.x) < together && c < channels) {
            all[threadIdx.x] = make(c);
        }
        __syncthreads();
        for (int k = 0; k < WIDTH; k++) {
            results[k] = all[inner == 1 ? channel - tile * together + k : 0];
        }
    }
};

// Loads ahead and registers are balanced: two blocks run on each multiprocessor, and no register is spilled.
const int BLOCKS = 2;

template <int COUNT, int TENSORS, int WIDTH, class Take>
__device__ long long takeStrip(
        const VALUE* const (&tensors)[TENSORS], const Strip<WIDTH>& strip, long long p, Take take) {
    for (; p + (COUNT - 1) * strip.step < strip.end; p += COUNT * strip.step) {
        long long at[COUNT];
        Group<VALUE, WIDTH> values[COUNT][TENSORS] = {};
        for (int i = 0; i < COUNT; i++) {
            at[i] = strip.at(p + i * strip.step);
        }
#pragma unroll
        for (int t = 0; t < TENSORS; t++) {
            if (tensors[t]) {
                for (int i = 0; i < COUNT; i++) {
                    values[i][t] = load<WIDTH>(tensors[t], at[i]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            take(at[i], values[i]);
        }
    }
    return p;
}

// Calls take(at, values of the tensors) for each position of the thread, in order. A tensor may be null, for zeros. Values
// of AHEAD positions are loaded before the first are needed.
template <int AHEAD, int TENSORS, int WIDTH, class Take>
__device__ void takeStrip(const VALUE* const (&tensors)[TENSORS], const Strip<WIDTH>& strip, Take take) {
    long long rest = takeStrip<AHEAD>(tensors, strip, strip.first, take);
    takeStrip<1>(tensors, strip, rest, take);
}

// Two sums of a channel. A kind of sums defines how those of several blocks are added: about a center, which is a value
// of the channel, and how they become results.
struct Sums {
    float first, second;

    __device__ void add(Sums other) {
        first += other.first;
        second += other.second;
    }
};

// Of gradients: by the channel's shift, and by its scale.
struct GradientSums {
    static __device__ float center(Sums) { return 0; }
    static __device__ Sums about(float, Sums result, float) { return result; }
    static __device__ Sums result(float, Sums sums, float) { return sums; }
};

// Of values: sums of differences to the center, and of their squares, so that a channel far from zero loses no precision
// by cancellation. Results are the mean and the sum of squared differences to it.
struct MomentSums {
    static __device__ float center(Sums result) { return result.first; }

    static __device__ Sums about(float center, Sums result, float count) {
        float apart = result.first - center;
        return {apart * count, result.second + apart * apart * count};
    }

    static __device__ Sums result(float center, Sums sums, float count) {
        float average = sums.first / count;
        float squares = sums.second - sums.first * average;
        return {center + average, squares < 0 ? 0 : squares}; // NaN stays
    }
};

// Adds up the sums that the threads of a block have for the same channels, in a fixed order. Each WIDTH sums of the first
// `abreast` threads are of `channels` channels altogether; the first threads each get the result for one of them.
template <int WIDTH>
__device__ Sums addUp(Sums (&sums)[WIDTH], int abreast, int channels) {
    __shared__ Sums all[BLOCK / WARP][WARP]; // WIDTH * abreast in each warp
    int lane = threadIdx.x % WARP;
    for (int distance = WARP / 2; distance >= abreast; distance /= 2) {
        for (int k = 0; k < WIDTH; k++) {
            sums[k].first += __shfl_xor_sync(0xffffffff, sums[k].first, distance);
            sums[k].second += __shfl_xor_sync(0xffffffff, sums[k].second, distance);
        }
    }
    if (lane < abreast) {
        for (int k = 0; k < WIDTH; k++) {
            all[threadIdx.x / WARP][lane * WIDTH + k] = sums[k];
        }
    }
    __syncthreads();
    Sums sum = {};
    int each = abreast * WIDTH / channels;
    if (int(threadIdx.x) < channels) {
        for (int warp = 0; warp < BLOCK / WARP; warp++) {
            for (int k = 0; k < each; k++) {
                sum.add(all[warp][threadIdx.x * each + k]);
            }
        }
    }
    return sum;
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

// Calls take(strip, sums) in each thread, adds up the sums of all blocks, and calls give(channel, result) for each channel
// once. A block's sums are about center(strip, channel).
//
// parts: (splits, channels), or null where there is one split
// arrived: a number for each channel at most, all 0
template <class Kind, int WIDTH, class Take, class Center, class Give>
__device__ void sumChannels(Tiles of, Sums* parts, int* arrived, Take take, Center center, Give give) {
    Strip<WIDTH> strip(of);
    Sums sums[WIDTH] = {};
    take(strip, sums);
    Sums sum = addUp(sums, of.abreast, strip.together);
    int c = strip.tile * strip.together + threadIdx.x % strip.together;
    bool speaks = int(threadIdx.x) < strip.together && c < of.channels;
    if (speaks) {
        sum = Kind::result(center(strip, c), sum, strip.count(strip.end - strip.begin));
    }
    if (of.splits > 1) {
        if (speaks) {
            parts[(long long) strip.split * of.channels + c] = sum;
        }
        if (!comesLast(arrived + strip.tile, of.splits)) {
            return;
        }
        Sums rest[1] = {};
        int end = c < of.channels ? of.splits : 0;
        float about = end > 0 ? Kind::center(parts[c]) : 0;
#pragma unroll 8
        for (int s = threadIdx.x / strip.together; s < end; s += BLOCK / strip.together) {
            float count = strip.count(strip.each + (s < strip.longer));
            rest[0].add(Kind::about(about, parts[(long long) s * of.channels + c], count));
        }
        sum = Kind::result(about, addUp(rest, strip.together, strip.together), strip.count(strip.positions));
    }
    if (speaks) {
        give(c, sum);
    }
}

// The block's first value of a channel.
template <int WIDTH>
__device__ float centerOf(const VALUE* x, const Strip<WIDTH>& strip, int c) {
    return float(x[strip.inner == 1 ? strip.begin * strip.channels + c : strip.at(strip.begin)]);
}

template <int WIDTH>
__device__ void momentsOf(const VALUE* x, const Strip<WIDTH>& strip, Sums (&sums)[WIDTH]) {
    float centers[WIDTH];
    strip.share(centers, [&](int c) { return centerOf(x, strip, c); });
    const VALUE* tensors[] = {x};
    takeStrip<4>(tensors, strip, [&](long long, const Group<VALUE, WIDTH> (&values)[1]) {
        for (int k = 0; k < WIDTH; k++) {
            float apart = float(values[0].at[k]) - centers[k];
            sums[k].add({apart, apart * apart});
        }
    });
}

// This device's row: each channel's mean, and the sum of the squared differences to it.
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS) batch_norm_statistics(
        float* __restrict__ row, // (2, channels)
        float* __restrict__ batches, // how many there were, which this adds one to; or null
        float* __restrict__ parts, // (splits, channels, 2), or null for one split
        int* arrived, // (channels), all 0
        const VALUE* __restrict__ x, // (outer, channels, inner)
        int outer,
        int channels,
        int inner,
        int wide,
        int abreast,
        int splits) {
    Tiles of = {outer, channels, inner, wide, abreast, splits};
    auto give = [=](int c, Sums result) {
        row[c] = result.first;
        row[channels + c] = result.second;
    };
    if (wide) {
        sumChannels<MomentSums, LANES>(of, (Sums*) parts, arrived, [=](const Strip<LANES>& strip, Sums (&sums)[LANES]) {
            momentsOf(x, strip, sums);
        }, [=](const Strip<LANES>& strip, int c) { return centerOf(x, strip, c); }, give);
    } else {
        sumChannels<MomentSums, 1>(of, (Sums*) parts, arrived, [=](const Strip<1>& strip, Sums (&sums)[1]) {
            momentsOf(x, strip, sums);
        }, [=](const Strip<1>& strip, int c) { return centerOf(x, strip, c); }, give);
    }
    if (batches && thread() == 0) {
        *batches += 1;
    }
}

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

// A batch divided among devices, each with a row of sums: the samples of device i begin at samples * i / devices.
struct SharedBatch {
    const float* rows; // (devices, 2, channels)
    int devices, samples, area, channels;

    // Values of a channel.
    __device__ float count(int device) const {
        long long begin = quotient((long long) samples * device, devices);
        long long end = quotient((long long) samples * (device + 1), devices);
        return float((end - begin) * area);
    }

    __device__ float first(int device, int c) const {
        return rows[(long long) device * 2 * channels + c];
    }

    __device__ float second(int device, int c) const {
        return rows[((long long) device * 2 + 1) * channels + c];
    }

    // Of all devices, always in their order.
    __device__ Moments moments(int c) const {
        Moments all = {};
        for (int device = 0; device < devices; device++) {
            all.add({count(device), first(device, c), second(device, c)});
        }
        return all;
    }

    // The same of sums of gradients, divided by the values of a channel. Who has no samples has no sums.
    __device__ Sums average(int c) const {
        float values = float((long long) samples * area);
        Sums all = {};
        for (int device = 0; device < devices; device++) {
            if (count(device) > 0) {
                all.add({first(device, c) / values, second(device, c) / values});
            }
        }
        return all;
    }
};

// What becomes of a channel's values.
struct Normalisation {
    float mean, factor, shift;

    // weight, bias: (channels), or null for 1 and 0
    static __device__ Normalisation with(float mean, float inverse, const float* weight, const float* bias, int c) {
        return {mean, weight ? inverse * weight[c] : inverse, bias ? bias[c] : 0};
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
    const VALUE* tensors[] = {x, addend};
    takeStrip<4>(tensors, strip, [&](long long at, const Group<VALUE, WIDTH> (&values)[2]) {
        Group<VALUE, WIDTH> results;
        for (int k = 0; k < WIDTH; k++) {
            float value = channels[k].of(float(values[0].at[k]));
            if (addend) {
                value += float(values[1].at[k]);
            }
            results.at[k] = VALUE(relu && value <= 0 ? 0.0f : value); // NaN stays
        }
        store(y, at, results);
    });
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
        float oldMean = runningMean[c];
        float oldVariance = runningVariance[c];
        mean[c] = batch.mean;
        inverse[c] = newInverse;
        runningMean[c] = (1 - weight) * oldMean + weight * batch.mean;
        runningVariance[c] = (1 - weight) * oldVariance + weight * (batch.squares / (batch.count - 1));
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
    Normalisation channels[WIDTH];
    strip.share(channels, [=](int c) {
        Moments moments = batch.moments(c);
        float inverse = 1 / sqrtf(moments.squares / moments.count + eps);
        Normalisation channel = Normalisation::with(moments.mean, inverse, weight, bias, c);
        if (blockIdx.x % of.splits == 0) {
            statistics.write(c, moments, inverse);
        }
        return channel;
    });
    normalise(y, x, addend, strip, channels, relu);
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS) batch_norm_forward(
        VALUE* __restrict__ y, // (outer, channels, inner), as x
        const VALUE* __restrict__ x,
        const VALUE* __restrict__ addend, // as x, or null
        const float* __restrict__ weight, // (channels), or null for 1
        const float* __restrict__ bias, // (channels), or null for 0
        const float* __restrict__ rows, // (devices, 2, channels): of batch_norm_statistics
        int devices,
        int samples, // of the whole batch
        int area,
        float* __restrict__ mean, // (channels), as all below
        float* __restrict__ inverse, // 1 / sqrt(variance + eps)
        float* __restrict__ runningMean,
        float* __restrict__ runningVariance, // unbiased
        const float* __restrict__ batches, // one number: how many there were with this one; null where the momentum is constant
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
    Normalisation channels[WIDTH];
    strip.share(channels, [=](int c) {
        return Normalisation::with(mean[c], 1 / sqrtf(variance[c] + eps), weight, bias, c);
    });
    normalise(y, x, addend, strip, channels, relu);
}

// By the running statistics.
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS) batch_norm_evaluation(
        VALUE* __restrict__ y, // (outer, channels, inner), as x
        const VALUE* __restrict__ x,
        const VALUE* __restrict__ addend, // as x, or null
        const float* __restrict__ weight, // (channels), or null for 1
        const float* __restrict__ bias, // (channels), or null for 0
        const float* __restrict__ runningMean, // (channels)
        const float* __restrict__ runningVariance, // (channels)
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

#ifdef TRAINYARD_BF16
const float ROUNDED_TO_ZERO = 0x1p-134f; // the largest
#else
const float ROUNDED_TO_ZERO = 0;
#endif

// The gradient of a ReLU's input. The mask comes from the ReLU's output, or, without an added branch, from computing the
// output again, which needs no memory.
struct ReluGradient {
    bool again;
    float limit; // NaN: no ReLU

    __device__ ReluGradient(int relu, const VALUE* y) {
        again = !y;
        limit = relu ? ROUNDED_TO_ZERO : __int_as_float(-1);
    }

    // At 0 the derivative is that below 0; where y is NaN the gradient passes.
    __device__ float of(float dy, float y, const Normalisation& channel, float x) const {
        float output = again ? channel.of(x) : y;
        return output <= limit ? 0.0f : dy;
    }
};

// The parameters and statistics of a channel in the backward pass.
struct NormChannels {
    const float* weight; // (channels), or null for 1
    const float* bias; // (channels), or null for 0
    const float* mean; // (channels)
    const float* inverse; // (channels)

    __device__ Normalisation of(int c) const {
        return Normalisation::with(mean[c], inverse[c], weight, bias, c);
    }
};

// The second sums lack the factor `inverse`.
template <int WIDTH>
__device__ void gradientSums(
        VALUE* masked,
        const VALUE* dy,
        const VALUE* other,
        const VALUE* x,
        const VALUE* y,
        NormChannels channels,
        ReluGradient relu,
        const Strip<WIDTH>& strip,
        Sums (&sums)[WIDTH]) {
    Normalisation of[WIDTH];
    strip.share(of, [=](int c) { return channels.of(c); });
    const VALUE* tensors[] = {x, dy, y, other};
    takeStrip<1>(tensors, strip, [&](long long at, const Group<VALUE, WIDTH> (&values)[4]) {
        Group<VALUE, WIDTH> passed;
        for (int k = 0; k < WIDTH; k++) {
            float value = float(values[0].at[k]);
            float g = relu.of(float(values[1].at[k]) + float(values[3].at[k]), float(values[2].at[k]), of[k], value);
            passed.at[k] = VALUE(g);
            sums[k].add({g, g * (value - of[k].mean)});
        }
        if (masked) {
            store(masked, at, passed);
        }
    });
}

// This device's row: of each channel the sums of the gradient that comes through the ReLU, and of its products with the
// normalised values. They are its share of the gradients of bias and weight, too.
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS) batch_norm_gradient_sums(
        float* __restrict__ row, // (2, channels)
        float* __restrict__ weightGradient, // (channels), or null
        float* __restrict__ biasGradient, // (channels), or null
        VALUE* __restrict__ masked, // as x: the gradient that comes through the ReLU; or null
        float* __restrict__ parts, // (splits, channels, 2), or null for one split
        int* arrived, // (channels), all 0
        const VALUE* __restrict__ dy, // (outer, channels, inner), as x
        const VALUE* __restrict__ other, // as x: added to dy; or null
        const VALUE* __restrict__ x,
        const VALUE* __restrict__ y, // as x: the forward pass's output; null without ReLU or without an added branch
        const float* __restrict__ weight, // (channels), or null for 1
        const float* __restrict__ bias, // (channels), or null for 0
        const float* __restrict__ mean, // (channels)
        const float* __restrict__ inverse, // (channels)
        int relu,
        int outer,
        int channels,
        int inner,
        int wide,
        int abreast,
        int splits) {
    Tiles of = {outer, channels, inner, wide, abreast, splits};
    NormChannels norms = {weight, bias, mean, inverse};
    ReluGradient through(relu, y);
    auto give = [=](int c, Sums sums) {
        float scale = sums.second * inverse[c];
        row[c] = sums.first;
        row[channels + c] = scale;
        if (weightGradient) {
            weightGradient[c] = scale;
            biasGradient[c] = sums.first;
        }
    };
    if (wide) {
        sumChannels<GradientSums, LANES>(of, (Sums*) parts, arrived, [=](const Strip<LANES>& strip, Sums (&sums)[LANES]) {
            gradientSums(masked, dy, other, x, y, norms, through, strip, sums);
        }, [](const Strip<LANES>&, int) { return 0.0f; }, give);
    } else {
        sumChannels<GradientSums, 1>(of, (Sums*) parts, arrived, [=](const Strip<1>& strip, Sums (&sums)[1]) {
            gradientSums(masked, dy, other, x, y, norms, through, strip, sums);
        }, [](const Strip<1>&, int) { return 0.0f; }, give);
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
    struct Channel {
        Normalisation norm;
        Sums average; // the second divided by the deviation
    };
    Channel of[WIDTH];
    strip.share(of, [=](int c) {
        Sums average = batch.average(c);
        average.second *= channels.inverse[c];
        return Channel{channels.of(c), average};
    });
    const VALUE* tensors[] = {x, dy, y};
    takeStrip<2>(tensors, strip, [&](long long at, const Group<VALUE, WIDTH> (&values)[3]) {
        Group<VALUE, WIDTH> results;
        for (int k = 0; k < WIDTH; k++) {
            float value = float(values[0].at[k]);
            float g = relu.of(float(values[1].at[k]), float(values[2].at[k]), of[k].norm, value);
            float change = g - of[k].average.first - (value - of[k].norm.mean) * of[k].average.second;
            results.at[k] = VALUE(change * of[k].norm.factor);
        }
        store(dx, at, results);
    });
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS) batch_norm_backward(
        VALUE* __restrict__ dx, // (outer, channels, inner), as x
        const VALUE* __restrict__ dy,
        const VALUE* __restrict__ x,
        const VALUE* __restrict__ y, // the forward pass's output; null without ReLU or without an added branch
        const float* __restrict__ weight, // (channels), or null for 1
        const float* __restrict__ bias, // (channels), or null for 0
        const float* __restrict__ mean, // (channels)
        const float* __restrict__ inverse, // (channels)
        const float* __restrict__ rows, // (devices, 2, channels): of batch_norm_gradient_sums
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
    ReluGradient through(relu, y);
    SharedBatch batch = {rows, devices, samples, area, channels};
    if (wide) {
        inputGradient<LANES>(dx, dy, x, y, norms, through, batch, of);
    } else {
        inputGradient<1>(dx, dy, x, y, norms, through, batch, of);
    }
}
