// The optimizers' updates, in the operations of the classes of io.trainyard.device.host and in their order, so that the
// bits are the same. Therefore only explicit fused multiplications are used (the program is compiled with --fmad=false),
// and roots and quotients are rounded correctly, which is the default.

const int WIDTH = 4; // floats that a thread changes at once
const int OF_STEP = 8; // scalars per step

// g + decay w. Without decay w plays no part: 0 times an infinite one would be NaN.
__device__ inline float decayed(float g, float decay, float w) {
    return decay == 0 ? g : fmaf(decay, w, g);
}

// How m comes nearer to d: by `approach` of the way from m, or with `fromEnd` by approach - 1 from d.
__device__ inline float lerp(float m, float d, float approach, bool fromEnd) {
    return fmaf(approach, d - m, fromEnd ? d : m);
}

const int SLOTS = 3; // that an optimizer keeps of each parameter, at most

// An optimizer's rule has `float next(float w, float g, float* slots) const`, which returns the new parameter and updates
// its state in place.

// d = g + weightDecay w; v = momentum v + newGradient d; w -= learningRate v. Without momentum v is d; with `nesterov`
// w -= learningRate (d + momentum v).
struct Sgd {
    float minusLearningRate, momentum;
    float newGradient; // 1 - dampening; 1 in the first step
    float weightDecay;
    bool nesterov;
    bool moving; // slots: v

    __device__ float next(float w, float g, float* slots) const {
        float d = decayed(g, weightDecay, w);
        float along = d;
        if (moving) {
            slots[0] = fmaf(newGradient, d, slots[0] * momentum);
            along = nesterov ? fmaf(momentum, slots[0], d) : slots[0];
        }
        return fmaf(minusLearningRate, along, w);
    }
};

// d = g + gradientDecay w; m += (1 - beta1) (d - m); s = beta2 s + (1 - beta2) d^2; w = shrink w - stepSize m /
// (sqrt(s) / correction + epsilon). With amsgrad the largest s so far takes the place of s in the last.
struct Adam {
    float shrink, minusStepSize, correction, approach;
    bool fromGradient;
    float gradientDecay, beta2;
    float newSquare; // 1 - beta2
    float epsilon;
    bool amsgrad; // slots: m, s, and with it the largest s

    __device__ float next(float w, float g, float* slots) const {
        float d = decayed(g, gradientDecay, w);
        float mean = lerp(slots[0], d, approach, fromGradient);
        float square = fmaf(d * newSquare, d, slots[1] * beta2);
        slots[0] = mean;
        slots[1] = square;
        if (amsgrad) {
            slots[2] = square > slots[2] || square != square ? square : slots[2]; // NaN stays
            square = slots[2];
        }
        return mean * minusStepSize / (sqrtf(square) / correction + epsilon) + w * shrink;
    }
};

// d = g + weightDecay w; s = alpha s + (1 - alpha) d^2; w -= learningRate d / (sqrt(s) + epsilon). Where there is a mean
// it follows d, and the root is that of s less its square. Where there is a velocity v = momentum v + d / (root + epsilon);
// w -= learningRate v.
struct Rmsprop {
    float minusLearningRate, momentum, alpha;
    float newSquare; // 1 - alpha
    float approach;
    bool fromGradient;
    float epsilon, weightDecay;
    bool moving, centered; // slots: s, v, the mean

    __device__ float next(float w, float g, float* slots) const {
        float d = decayed(g, weightDecay, w);
        float square = fmaf(d * newSquare, d, slots[0] * alpha);
        slots[0] = square;
        if (centered) {
            slots[2] = lerp(slots[2], d, approach, fromGradient);
            square = fmaf(-slots[2], slots[2], square);
        }
        float root = sqrtf(square) + epsilon;
        if (moving) {
            slots[1] = slots[1] * momentum + d / root;
            return fmaf(minusLearningRate, slots[1], w);
        }
        return w + d * minusLearningRate / root;
    }
};

// The state of the parameters, in their order; null if the rule has no such slot.
struct Slots {
    float* at[SLOTS];
};

// The step of an optimizer for all of n parameters.
template <class Rule>
__device__ void updateAll(Rule rule, float* w, const float* g, Slots slots, long long n) {
    for (long long i = thread() * WIDTH; i < n; i += threads() * WIDTH) {
        Group<float, WIDTH> values = load<WIDTH>(w, i, n);
        Group<float, WIDTH> gradient = load<WIDTH>(g, i, n);
        Group<float, WIDTH> kept[SLOTS] = {};
        for (int slot = 0; slot < SLOTS; slot++) {
            if (slots.at[slot]) {
                kept[slot] = load<WIDTH>(slots.at[slot], i, n);
            }
        }
        for (int k = 0; k < WIDTH; k++) {
            float own[SLOTS];
            for (int slot = 0; slot < SLOTS; slot++) {
                own[slot] = kept[slot].at[k];
            }
            values.at[k] = rule.next(values.at[k], gradient.at[k], own);
            for (int slot = 0; slot < SLOTS; slot++) {
                kept[slot].at[k] = own[slot];
            }
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            if (slots.at[slot]) {
                store(slots.at[slot], i, n, kept[slot]);
            }
        }
        store(w, i, n, values);
    }
}

extern "C" __global__ void sgd(
        float* w, // (n)
        const float* g, // (n)
        float* v, // (n); null without momentum
        long long n,
        const float* scalars, // (steps, 8): minusLearningRate, momentum, newGradient
        const int* step,
        float weightDecay,
        int nesterov) {
    const float* now = scalars + *step * OF_STEP;
    Sgd rule = {now[0], now[1], now[2], weightDecay, nesterov != 0, v != nullptr};
    updateAll(rule, w, g, {v, nullptr, nullptr}, n);
}

extern "C" __global__ void adam(
        float* w, // (n)
        const float* g, // (n)
        float* m, // (n)
        float* s, // (n)
        float* largest, // (n); null without amsgrad
        long long n,
        const float* scalars, // (steps, 8): shrink, minusStepSize, correction, approach, fromGradient
        const int* step,
        float gradientDecay,
        float beta2,
        float newSquare, // 1 - beta2
        float epsilon) {
    const float* now = scalars + *step * OF_STEP;
    Adam rule = {now[0], now[1], now[2], now[3], now[4] != 0, gradientDecay, beta2, newSquare, epsilon, largest != nullptr};
    updateAll(rule, w, g, {m, s, largest}, n);
}

extern "C" __global__ void rmsprop(
        float* w, // (n)
        const float* g, // (n)
        float* s, // (n)
        float* v, // (n); null without momentum
        float* a, // (n); null unless centered
        long long n,
        const float* scalars, // (steps, 8): minusLearningRate, momentum
        const int* step,
        float alpha,
        float newSquare, // 1 - alpha
        float approach,
        int fromGradient,
        float epsilon,
        float weightDecay) {
    const float* now = scalars + *step * OF_STEP;
    Rmsprop rule = {now[0], now[1], alpha, newSquare, approach, fromGradient != 0, epsilon, weightDecay, v != nullptr, a != nullptr};
    updateAll(rule, w, g, {s, v, a}, n);
}

// sum += other
extern "C" __global__ void add_gradient(
        float* sum, // (n)
        const float* other, // (n)
        long long n) {
    for (long long i = thread() * WIDTH; i < n; i += threads() * WIDTH) {
        Group<float, WIDTH> total = load<WIDTH>(sum, i, n);
        Group<float, WIDTH> more = load<WIDTH>(other, i, n);
        for (int k = 0; k < WIDTH; k++) {
            total.at[k] += more.at[k];
        }
        store(sum, i, n, total);
    }
}

// values[i] = f(values[i], more[i]) in place. more may be values.
template <class Function>
__device__ void change(float* values, const float* more, long long n, Function f) {
    for (long long i = thread() * WIDTH; i < n; i += threads() * WIDTH) {
        Group<float, WIDTH> group = load<WIDTH>(values, i, n);
        Group<float, WIDTH> other = load<WIDTH>(more, i, n);
        for (int k = 0; k < WIDTH; k++) {
            group.at[k] = f(group.at[k], other.at[k]);
        }
        store(values, i, n, group);
    }
}

// sum += share g
extern "C" __global__ void accumulate_gradient(
        float* sum, // (n)
        const float* g, // (n)
        long long n,
        float share) {
    change(sum, g, n, [=](float total, float more) { return total + more * share; });
}

// No number is larger than `limit`, nor its negative smaller; NaN stays.
extern "C" __global__ void clamp_gradient(
        float* g, // (n)
        long long n,
        float limit) {
    change(g, g, n, [=](float x, float) { return x > limit ? limit : x < -limit ? -limit : x; });
}

// squares[block] = the sum of the squares of the numbers that the block takes, in a fixed order.
extern "C" __global__ void square_gradient(
        double* squares, // (blocks)
        const float* g, // (n)
        long long n) {
    __shared__ double sums[BLOCK];
    double sum = 0;
    for (long long i = thread(); i < n; i += threads()) {
        sum += (double) g[i] * g[i];
    }
    sum = blockSum(sums, sum);
    if (threadIdx.x == 0) {
        squares[blockIdx.x] = sum;
    }
}

// The factor that limits a gradient with these sums of squares to the norm maxNorm, as in PyTorch's clip_grad_norm_.
// One block.
extern "C" __global__ void gradient_factor(
        float* factor, // (1)
        const double* squares, // (count)
        int count,
        float maxNorm) {
    __shared__ double sums[BLOCK];
    double sum = 0;
    for (int i = threadIdx.x; i < count; i += BLOCK) {
        sum += squares[i];
    }
    sum = blockSum(sums, sum);
    if (threadIdx.x == 0) {
        float wanted = maxNorm / ((float) sqrt(sum) + 1e-6f);
        *factor = wanted > 1 ? 1 : wanted; // NaN stays
    }
}

// g *= *factor
extern "C" __global__ void scale_gradient(
        float* g, // (n)
        long long n,
        const float* factor) {
    float by = *factor;
    change(g, g, n, [=](float x, float) { return x * by; });
}

// average = keep average + take w; after the optimizer's first step average = w.
extern "C" __global__ void average(
        float* averages, // (n)
        const float* w, // (n)
        long long n,
        const float* scalars, // (steps, 8): the last is whether the step is the first
        const int* step,
        float keep, // the decay
        float take) { // 1 - decay
    bool first = scalars[*step * OF_STEP + OF_STEP - 1] != 0;
    change(averages, w, n, [=](float a, float x) { return first ? x : keep * a + take * x; });
}
