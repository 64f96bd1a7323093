// The optimizers' updates, in the operations of io.trainyard.device.host.SgdUpdate and AdamUpdate and in their order,
// so that the bits are the same. Therefore a fused multiplication stands only where it is written, the program is
// compiled without others (--fmad=false), and roots and quotients are rounded correctly, which is the default.

const int WIDTH = 4; // floats that a thread changes at once

// g + decay w. Without decay w plays no part: 0 times an infinite one would be NaN.
__device__ inline float decayed(float g, float decay, float w) {
    return decay == 0 ? g : fmaf(decay, w, g);
}

// d = g + weightDecay w; v = momentum v + d; w -= learningRate v. Without momentum v is d; with `nesterov`
// w -= learningRate (d + momentum v).
extern "C" __global__ void sgd(
        float* w, // (n)
        const float* g, // (n)
        float* v, // (n); null without momentum
        long long n,
        const float* scalars, // (steps, 4): minusLearningRate
        const int* step,
        float momentum,
        float weightDecay,
        int nesterov) {
    float minusLearningRate = scalars[*step * 4];
    for (long long i = thread() * WIDTH; i < n; i += threads() * WIDTH) {
        Group<float, WIDTH> values = load<WIDTH>(w, i, n);
        Group<float, WIDTH> gradient = load<WIDTH>(g, i, n);
        Group<float, WIDTH> velocity = {};
        if (v) {
            velocity = load<WIDTH>(v, i, n);
        }
        for (int k = 0; k < WIDTH; k++) {
            float d = decayed(gradient.at[k], weightDecay, values.at[k]);
            float along = d;
            if (v) {
                velocity.at[k] = velocity.at[k] * momentum + d;
                along = nesterov ? fmaf(momentum, velocity.at[k], d) : velocity.at[k];
            }
            values.at[k] = fmaf(minusLearningRate, along, values.at[k]);
        }
        if (v) {
            store(v, i, n, velocity);
        }
        store(w, i, n, values);
    }
}

// d = g + gradientDecay w; m += (1 - beta1) (d - m); s = beta2 s + (1 - beta2) d^2; w = shrink w - stepSize m /
// (sqrt(s) / correction + epsilon).
extern "C" __global__ void adam(
        float* w, // (n)
        const float* g, // (n)
        float* m, // (n)
        float* s, // (n)
        long long n,
        const float* scalars, // (steps, 4): shrink, minusStepSize, correction
        const int* step,
        float gradientDecay,
        float approach, // how m comes nearer to d: by 1 - beta1 from m, or by -beta1 with `fromGradient` from d
        int fromGradient,
        float beta2,
        float newSquare, // 1 - beta2
        float epsilon) {
    float shrink = scalars[*step * 4];
    float minusStepSize = scalars[*step * 4 + 1];
    float correction = scalars[*step * 4 + 2];
    for (long long i = thread() * WIDTH; i < n; i += threads() * WIDTH) {
        Group<float, WIDTH> values = load<WIDTH>(w, i, n);
        Group<float, WIDTH> gradient = load<WIDTH>(g, i, n);
        Group<float, WIDTH> means = load<WIDTH>(m, i, n);
        Group<float, WIDTH> squares = load<WIDTH>(s, i, n);
        for (int k = 0; k < WIDTH; k++) {
            float d = decayed(gradient.at[k], gradientDecay, values.at[k]);
            float mean = fmaf(approach, d - means.at[k], fromGradient ? d : means.at[k]);
            float square = fmaf(d * newSquare, d, squares.at[k] * beta2);
            means.at[k] = mean;
            squares.at[k] = square;
            values.at[k] = mean * minusStepSize / (sqrtf(square) / correction + epsilon) + values.at[k] * shrink;
        }
        store(m, i, n, means);
        store(s, i, n, squares);
        store(w, i, n, values);
    }
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
