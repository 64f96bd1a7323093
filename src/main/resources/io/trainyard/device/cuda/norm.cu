// Group norm and layer norm: sets of a sample's values, each normalised by its own mean and variance; and layer scale.

// The places of a set's values, and the scale and shift of each. Values of a sample are counted in (channel, row,
// column) order; NormSets in Java defines the fields.
struct Sets {
    int sets;
    int size;
    int sideBySide;
    int weights;
    int run;
    int channels;
    int area;
    int channelsLast;

    __device__ int place(int set, int i) const {
        return sideBySide ? i * sets + set : set * size + i;
    }

    __device__ int setOf(int place) const {
        return sideBySide ? place % sets : place / size;
    }

    __device__ int weight(int place) const {
        return place / run % weights;
    }

    // In memory.
    __device__ long long index(int sample, int place) const {
        long long begin = (long long) sample * sets * size;
        return begin + (channelsLast ? place % area * channels + place / area : place);
    }
};

// As blockSum, for all threads.
__device__ inline float sumForAll(float* sums, float value) {
    float sum = blockSum(sums, value);
    __syncthreads(); // before the next write
    return sum;
}

// The sum of f(i) for i from 0 on, `count` of them, for all threads of a block.
template <class Function>
__device__ float sumOf(long long count, Function f) {
    __shared__ float sums[BLOCK];
    float sum = 0;
    for (long long i = threadIdx.x; i < count; i += BLOCK) {
        sum += f(i);
    }
    return sumForAll(sums, sum);
}

// As sumOf, of gradients, which f(i, sum) adds to.
template <class Function>
__device__ Gradients gradientsOf(long long count, Function f) {
    __shared__ float sums[BLOCK];
    Gradients sum = {0, 0};
    for (long long i = threadIdx.x; i < count; i += BLOCK) {
        f(i, sum);
    }
    float shift = sumForAll(sums, sum.shift);
    return {shift, sumForAll(sums, sum.scale)};
}

// y = (x - mean) / sqrt(variance + eps) * weight + bias. A block takes a set at a time.
extern "C" __global__ void sample_norm_forward(
        VALUE* y,
        const VALUE* x,
        const float* weight, // (weights), or null for 1
        const float* bias, // (weights), or null for 0
        float* means, // (samples, sets), or null
        float* inverses, // (samples, sets), or null: 1 / sqrt(variance + eps)
        int samples,
        int sets,
        int size,
        int sideBySide,
        int weights,
        int run,
        int channels,
        int area,
        int channelsLast,
        float eps) {
    Sets of = {sets, size, sideBySide, weights, run, channels, area, channelsLast};
    for (long long s = blockIdx.x; s < (long long) samples * sets; s += gridDim.x) {
        int sample = s / sets;
        int set = s % sets;
        float mean = sumOf(size, [=](int i) { return float(x[of.index(sample, of.place(set, i))]); }) / size;
        float squares = sumOf(size, [=](int i) {
            float apart = float(x[of.index(sample, of.place(set, i))]) - mean;
            return apart * apart;
        });
        float inverse = 1 / sqrtf(squares / size + eps);
        for (int i = threadIdx.x; i < size; i += BLOCK) {
            int place = of.place(set, i);
            int w = of.weight(place);
            long long at = of.index(sample, place);
            float normalised = (float(x[at]) - mean) * inverse;
            y[at] = VALUE(weight ? normalised * weight[w] + bias[w] : normalised);
        }
        if (means && threadIdx.x == 0) {
            means[s] = mean;
            inverses[s] = inverse;
        }
    }
}

// With h = (x - mean) / deviation and g = dy * weight: dx = (g - average g - h * average g h) / deviation. A block takes
// a set at a time.
extern "C" __global__ void sample_norm_backward(
        VALUE* dx,
        const VALUE* dy,
        const VALUE* x,
        const float* weight, // (weights), or null for 1
        const float* means, // (samples, sets)
        const float* inverses, // (samples, sets)
        int samples,
        int sets,
        int size,
        int sideBySide,
        int weights,
        int run,
        int channels,
        int area,
        int channelsLast) {
    Sets of = {sets, size, sideBySide, weights, run, channels, area, channelsLast};
    for (long long s = blockIdx.x; s < (long long) samples * sets; s += gridDim.x) {
        int sample = s / sets;
        int set = s % sets;
        float mean = means[s];
        float inverse = inverses[s];
        Gradients sums = gradientsOf(size, [=](int i, Gradients& sum) {
            int place = of.place(set, i);
            long long at = of.index(sample, place);
            float g = float(dy[at]) * (weight ? weight[of.weight(place)] : 1.0f);
            sum.add(g, (float(x[at]) - mean) * inverse);
        });
        float average = sums.shift / size;
        float slope = sums.scale / size;
        for (int i = threadIdx.x; i < size; i += BLOCK) {
            int place = of.place(set, i);
            long long at = of.index(sample, place);
            float g = float(dy[at]) * (weight ? weight[of.weight(place)] : 1.0f);
            float h = (float(x[at]) - mean) * inverse;
            dx[at] = VALUE((g - average - h * slope) * inverse);
        }
    }
}

// The gradients of weight and bias. A block takes one of each at a time.
extern "C" __global__ void sample_norm_gradients(
        float* weightGradient, // (weights)
        float* biasGradient, // (weights)
        const VALUE* dy,
        const VALUE* x,
        const float* means, // (samples, sets)
        const float* inverses, // (samples, sets)
        int samples,
        int sets,
        int size,
        int sideBySide,
        int weights,
        int run,
        int channels,
        int area,
        int channelsLast) {
    Sets of = {sets, size, sideBySide, weights, run, channels, area, channelsLast};
    int each = (long long) sets * size / weights; // values of a sample that share a weight
    for (int w = blockIdx.x; w < weights; w += gridDim.x) {
        Gradients sums = gradientsOf((long long) samples * each, [=](long long i, Gradients& sum) {
            int sample = i / each;
            int among = i % each;
            int place = (among / run * weights + w) * run + among % run;
            long long at = of.index(sample, place);
            long long s = (long long) sample * sets + of.setOf(place);
            sum.add(float(dy[at]), (float(x[at]) - means[s]) * inverses[s]);
        });
        if (threadIdx.x == 0) {
            weightGradient[w] = sums.scale;
            biasGradient[w] = sums.shift;
        }
    }
}

// y = x * gamma, channel by channel. y may be x. A tensor is (outer, channels, inner), n in all.
extern "C" __global__ void layer_scale(
        VALUE* y,
        const VALUE* x,
        const float* gamma, // (channels)
        long long n,
        int channels,
        int inner) {
    map(y, x, n, [=](float x, long long i) { return x * gamma[quotient(i, inner) % channels]; });
}

// The gradient of gamma. A block takes a channel at a time.
extern "C" __global__ void layer_scale_gradient(
        float* gradient, // (channels)
        const VALUE* dy, // (outer, channels, inner), as x
        const VALUE* x,
        int outer,
        int channels,
        int inner) {
    for (int c = blockIdx.x; c < channels; c += gridDim.x) {
        float sum = sumOf((long long) outer * inner, [=](long long i) {
            long long at = (quotient(i, inner) * channels + c) * inner + i % inner;
            return float(dy[at]) * float(x[at]);
        });
        if (threadIdx.x == 0) {
            gradient[c] = sum;
        }
    }
}

// y = x times the factor of the sample's channel.
extern "C" __global__ void gate(
        VALUE* y,
        const VALUE* x,
        const VALUE* factors, // (samples, channels)
        long long n,
        int channels,
        int area,
        int channelsLast) {
    int inner = channelsLast ? 1 : area;
    int outer = channelsLast ? area : 1;
    map(y, x, n, [=](float x, long long i) {
        long long row = quotient(i, inner);
        long long sample = quotient(row, channels * outer);
        return x * float(factors[sample * channels + row % channels]);
    });
}

// The gradients of the factors. A block takes a channel of a sample at a time.
extern "C" __global__ void gate_gradient(
        VALUE* gradient, // (samples, channels)
        const VALUE* dy,
        const VALUE* x,
        int samples,
        int channels,
        int area,
        int channelsLast) {
    for (int k = blockIdx.x; k < samples * channels; k += gridDim.x) {
        int sample = k / channels;
        int stride = channelsLast ? channels : 1;
        long long first = (long long) sample * channels * area + (long long) (k % channels) * (channelsLast ? 1 : area);
        float sum = sumOf(area, [=](long long i) {
            return float(dy[first + i * stride]) * float(x[first + i * stride]);
        });
        if (threadIdx.x == 0) {
            gradient[k] = VALUE(sum);
        }
    }
}
