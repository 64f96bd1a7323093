// Group norm and layer norm: sets of a sample's values, each normalised by its own mean and variance; and layer scale.

// Where the values of a set are, and which scale and shift is whose. Values of a sample are counted in (channel, row,
// column) order; NormSets in Java says what the fields are.
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
    __syncthreads(); // before somebody writes the next
    return sum;
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
    __shared__ float sums[BLOCK];
    Sets of = {sets, size, sideBySide, weights, run, channels, area, channelsLast};
    for (long long s = blockIdx.x; s < (long long) samples * sets; s += gridDim.x) {
        int sample = s / sets;
        int set = s % sets;
        float sum = 0;
        for (int i = threadIdx.x; i < size; i += BLOCK) {
            sum += float(x[of.index(sample, of.place(set, i))]);
        }
        float mean = sumForAll(sums, sum) / size;
        float squares = 0;
        for (int i = threadIdx.x; i < size; i += BLOCK) {
            float apart = float(x[of.index(sample, of.place(set, i))]) - mean;
            squares += apart * apart;
        }
        float inverse = 1 / sqrtf(sumForAll(sums, squares) / size + eps);
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
    __shared__ float sums[BLOCK];
    Sets of = {sets, size, sideBySide, weights, run, channels, area, channelsLast};
    for (long long s = blockIdx.x; s < (long long) samples * sets; s += gridDim.x) {
        int sample = s / sets;
        int set = s % sets;
        float mean = means[s];
        float inverse = inverses[s];
        float sum = 0;
        float products = 0;
        for (int i = threadIdx.x; i < size; i += BLOCK) {
            int place = of.place(set, i);
            long long at = of.index(sample, place);
            float g = float(dy[at]) * (weight ? weight[of.weight(place)] : 1.0f);
            sum += g;
            products += g * (float(x[at]) - mean) * inverse;
        }
        float average = sumForAll(sums, sum) / size;
        float slope = sumForAll(sums, products) / size;
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
    __shared__ float sums[BLOCK];
    Sets of = {sets, size, sideBySide, weights, run, channels, area, channelsLast};
    int each = (long long) sets * size / weights; // values of a sample that share a weight
    for (int w = blockIdx.x; w < weights; w += gridDim.x) {
        float sum = 0;
        float products = 0;
        for (long long i = threadIdx.x; i < (long long) samples * each; i += BLOCK) {
            int sample = i / each;
            int among = i % each;
            int place = (among / run * weights + w) * run + among % run;
            long long at = of.index(sample, place);
            long long s = (long long) sample * sets + of.setOf(place);
            sum += float(dy[at]);
            products += float(dy[at]) * (float(x[at]) - means[s]) * inverses[s];
        }
        sum = sumForAll(sums, sum);
        products = sumForAll(sums, products);
        if (threadIdx.x == 0) {
            weightGradient[w] = products;
            biasGradient[w] = sum;
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
    __shared__ float sums[BLOCK];
    for (int c = blockIdx.x; c < channels; c += gridDim.x) {
        float sum = 0;
        for (long long i = threadIdx.x; i < (long long) outer * inner; i += BLOCK) {
            long long at = (quotient(i, inner) * channels + c) * inner + i % inner;
            sum += float(dy[at]) * float(x[at]);
        }
        sum = sumForAll(sums, sum);
        if (threadIdx.x == 0) {
            gradient[c] = sum;
        }
    }
}
