// Losses. The threads of a warp share a row of outputs.

const int ROW = WARP;

// A class and its logit.
struct Candidate {
    float logit;
    int index;
};

// The larger, of equals the first. NaN is not larger.
__device__ inline Candidate better(Candidate a, Candidate b) {
    return b.logit > a.logit || (b.logit == a.logit && b.index < a.index) ? b : a;
}

// The best of each thread of a row; all of them get it.
__device__ inline Candidate bestOf(Candidate best) {
    for (int distance = ROW / 2; distance > 0; distance /= 2) {
        best = better(
                best,
                {__shfl_xor_sync(0xffffffff, best.logit, distance), __shfl_xor_sync(0xffffffff, best.index, distance)});
    }
    return best;
}

// What is needed to have a row's softmax, exp(z - largest) / sum. Without the largest exp may overflow.
struct Softmax {
    float largest;
    float sum;
    int prediction; // the class of the largest logit, the first of equals

    __device__ float at(float z) const {
        return expf(z - largest) / sum;
    }

    // -log softmax
    __device__ float loss(float z) const {
        return logf(sum) - (z - largest);
    }
};

// nn.CrossEntropyLoss's options.
struct Loss {
    const float* classWeights; // (classes); null where all are 1
    float smoothing;

    __device__ float weight(int k) const {
        return classWeights == nullptr ? 1.0f : classWeights[k];
    }

    // How much a sample's own class counts.
    __device__ float own(int label) const {
        return (1.0f - smoothing) * weight(label);
    }

    // The smoothed share of each class, to be multiplied by its weight.
    __device__ float share(int classes) const {
        return smoothing / classes;
    }
};

// row: (classes) logits. NaN among them makes the sum NaN; where it is the first, that is the prediction.
__device__ inline Softmax softmax(const VALUE* row, int classes) {
    int lane = threadIdx.x % ROW;
    Candidate best = {-__uint_as_float(0x7f800000), 0}; // -infinity
    for (int k = lane; k < classes; k += ROW) {
        best = better(best, {float(row[k]), k});
    }
    best = bestOf(best);
    float sum = 0;
    for (int k = lane; k < classes; k += ROW) {
        sum += expf(float(row[k]) - best.logit);
    }
    sum = warpSum(sum);
    float first = float(row[0]);
    return {best.logit, sum, first == first ? best.index : 0};
}

// The sum over all classes of weight times -log softmax; 0 without smoothing, where it is not needed.
__device__ inline float lossOfAll(const VALUE* row, int classes, Loss loss, Softmax distribution) {
    if (loss.smoothing == 0) {
        return 0;
    }
    int lane = threadIdx.x % ROW;
    float sum = 0;
    for (int k = lane; k < classes; k += ROW) {
        sum += loss.weight(k) * distribution.loss(float(row[k]));
    }
    return warpSum(sum);
}

// Calls f(n) for each sample n, on all ROW threads of its row.
template <class Function>
__device__ void eachSample(int samples, Function f) {
    for (long long n = thread() / ROW; n < samples; n += threads() / ROW) {
        f(n);
    }
}

// Calls f(n, row, softmax, lossOfAll) for each sample n with its row of logits (classes), on all ROW threads of the row.
template <class Function>
__device__ void eachRow(const VALUE* logits, int samples, int classes, Loss loss, Function f) {
    eachSample(samples, [=](int n) {
        const VALUE* row = logits + (long long) n * classes;
        Softmax distribution = softmax(row, classes);
        f(n, row, distribution, lossOfAll(row, classes, loss, distribution));
    });
}

// A sample's loss, and the gradient of its batch's mean loss by its logits, which may take their place.
__device__ inline void rowLoss(
        VALUE* gradient, // (classes)
        float* sampleLoss,
        const VALUE* row, // (classes): logits
        int classes,
        int label,
        float batchWeight,
        Loss loss,
        float sumOfWeights, // of all classes
        Softmax distribution,
        float ofAll) { // lossOfAll
    float own = loss.own(label);
    float share = loss.share(classes);
    float scale = own + share * sumOfWeights;
    for (int k = threadIdx.x % ROW; k < classes; k += ROW) {
        float z = float(row[k]);
        float target = (k == label ? own : 0.0f) + share * loss.weight(k);
        gradient[k] = VALUE((scale * distribution.at(z) - target) / batchWeight);
        if (k == label) {
            *sampleLoss = own * distribution.loss(z) + share * ofAll;
        }
    }
}

// The samples' losses, and the gradient of the batch's mean loss by the logits. The samples are those from `first` on of
// a batch.
extern "C" __global__ void cross_entropy(
        VALUE* gradient, // (samples, classes)
        float* sampleLosses, // (samples)
        const VALUE* logits, // (samples, classes)
        const int* labels, // (all samples)
        const int* order, // (all samples): which the epoch takes
        const int* step,
        const float* batchWeights, // (steps of the epoch): the divisor of each step's losses
        const float* classWeights, // (classes) or null
        float smoothing,
        float sumOfWeights, // of all classes
        int batchSize,
        int first,
        int samples,
        int classes) {
    const int* batch = order + (long long) *step * batchSize + first;
    float batchWeight = batchWeights[*step];
    Loss loss = {classWeights, smoothing};
    eachRow(logits, samples, classes, loss, [=](int n, const VALUE* row, Softmax distribution, float ofAll) {
        rowLoss(gradient + (long long) n * classes, sampleLosses + n, row, classes, labels[batch[n]], batchWeight, loss,
                sumOfWeights, distribution, ofAll);
    });
}

// The mean of losses that add up to `sum`.
__device__ inline float meanLoss(double sum, float weight) {
    // PyTorch adds losses up in float32: where that overflows, the mean is infinite.
    float whole = (float) sum;
    float mean = whole - whole == 0 ? (float) (sum / weight) : whole;
    // If all weights are 0 there is no mean, although smoothing gives a loss.
    return weight == 0 ? __uint_as_float(0x7fc00000) : mean; // NaN
}

// losses[*step] = the sum of the samples' losses / the batch's weight; then *step is the next. One block.
extern "C" __global__ void end_step(
        float* losses, // (steps of the epoch)
        int* step,
        const float* sampleLosses, // (samples)
        const float* batchWeights, // (steps of the epoch)
        int samples) {
    __shared__ double sums[BLOCK];
    double sum = 0;
    for (int n = threadIdx.x; n < samples; n += BLOCK) {
        sum += sampleLosses[n];
    }
    sum = blockSum(sums, sum);
    if (threadIdx.x == 0) {
        losses[*step] = meanLoss(sum, batchWeights[*step]);
        *step += 1;
    }
}

// Losses and predictions of one batch of the test set.
extern "C" __global__ void test_batch(
        float* sampleLosses, // (all samples)
        int* confusion, // (classes, classes): counts by label and prediction
        const VALUE* logits, // (samples, classes)
        const int* labels, // (all samples)
        const int* step,
        const float* classWeights, // (classes) or null
        float smoothing,
        int batchSize,
        int samples,
        int classes) {
    long long begin = (long long) *step * batchSize;
    Loss loss = {classWeights, smoothing};
    eachRow(logits, samples, classes, loss, [=](int n, const VALUE* row, Softmax distribution, float ofAll) {
        if (threadIdx.x % ROW == 0) {
            int label = labels[begin + n];
            sampleLosses[begin + n] =
                    loss.own(label) * distribution.loss(float(row[label])) + loss.share(classes) * ofAll;
            atomicAdd(&confusion[label * classes + distribution.prediction], 1);
        }
    });
}

// The softmax of one batch of the test set.
extern "C" __global__ void probabilities(
        float* out, // (all samples, classes)
        const VALUE* logits, // (samples, classes)
        const int* step,
        int batchSize,
        int samples,
        int classes) {
    long long begin = (long long) *step * batchSize;
    Loss none = {nullptr, 0};
    eachRow(logits, samples, classes, none, [=](int n, const VALUE* row, Softmax distribution, float) {
        for (int k = threadIdx.x % ROW; k < classes; k += ROW) {
            out[(begin + n) * classes + k] = distribution.at(float(row[k]));
        }
    });
}

// What a sample's outputs are off, of some or all of them.
struct Errors {
    float squares, distances;

    __device__ void add(float difference) {
        squares += difference * difference;
        distances += fabsf(difference);
    }
};

// What a row's outputs are off. With a gradient, also the derivative of the batch's mean by them, which may take their
// place; null: none is wanted.
__device__ inline Errors rowErrors(
        VALUE* gradient, const VALUE* row, const float* target, int width, float batchWeight) {
    Errors errors = {0, 0};
    for (int k = threadIdx.x % ROW; k < width; k += ROW) {
        float difference = float(row[k]) - target[k];
        errors.add(difference);
        if (gradient) {
            gradient[k] = VALUE(2 * difference / batchWeight);
        }
    }
    return {warpSum(errors.squares), warpSum(errors.distances)};
}

// The samples' sums of squared differences, and the gradient of the batch's mean by the outputs. The samples are those
// from `first` on of a batch.
extern "C" __global__ void squared_errors(
        VALUE* gradient, // (samples, width); may be the outputs
        float* sampleLosses, // (samples)
        const VALUE* outputs, // (samples, width)
        const float* targets, // (all samples, width)
        const int* order, // (all samples): which the epoch takes
        const int* step,
        const float* batchWeights, // (steps of the epoch): the divisor of each step's losses
        int batchSize,
        int first,
        int samples,
        int width) {
    const int* batch = order + (long long) *step * batchSize + first;
    float batchWeight = batchWeights[*step];
    eachSample(samples, [=](int n) {
        long long begin = (long long) n * width;
        const float* target = targets + (long long) batch[n] * width;
        Errors errors = rowErrors(gradient + begin, outputs + begin, target, width, batchWeight);
        if (threadIdx.x % ROW == 0) {
            sampleLosses[n] = errors.squares;
        }
    });
}

// What one batch of the test set is off, sample by sample.
extern "C" __global__ void test_errors(
        float* sampleLosses, // (all samples): sums of squared differences
        float* absoluteErrors, // (all samples): sums of distances
        const VALUE* outputs, // (samples, width)
        const float* targets, // (all samples, width)
        const int* step,
        int batchSize,
        int samples,
        int width) {
    long long begin = (long long) *step * batchSize;
    eachSample(samples, [=](int n) {
        const float* target = targets + (begin + n) * width;
        Errors errors = rowErrors(nullptr, outputs + (long long) n * width, target, width, 1);
        if (threadIdx.x % ROW == 0) {
            sampleLosses[begin + n] = errors.squares;
            absoluteErrors[begin + n] = errors.distances;
        }
    });
}

// Outputs as they are.
extern "C" __global__ void predicted_numbers(
        float* out, // (n)
        const VALUE* outputs, // (n)
        long long n) {
    for (long long i = thread(); i < n; i += threads()) {
        out[i] = float(outputs[i]);
    }
}
