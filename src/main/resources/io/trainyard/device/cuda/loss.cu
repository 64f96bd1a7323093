// Softmax and cross entropy. ROW threads share a row of logits; the threads of a block go from row to row together.

const int ROW = 32;

// Combines a value of each thread of a row in the order of the threads, so that all of them get the same bits.
//
// parts: (BLOCK), shared. width: how many threads of the row have a value, at least 1.
template <class Value, class Function>
__device__ Value acrossRow(Value* parts, Value value, int width, Function combine) {
    __syncthreads(); // what was in `parts` has been read
    parts[threadIdx.x] = value;
    __syncthreads();
    const Value* row = parts + threadIdx.x / ROW * ROW;
    Value combined = row[0];
    for (int k = 1; k < width; k++) {
        combined = combine(combined, row[k]);
    }
    return combined;
}

// A class and its logit.
struct Candidate {
    float logit;
    int index;
};

// The larger, of equals the first. NaN is not larger.
__device__ inline Candidate better(Candidate a, Candidate b) {
    return b.logit > a.logit || (b.logit == a.logit && b.index < a.index) ? b : a;
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

// What the threads of a block give each other.
struct Shared {
    Candidate candidates[BLOCK];
    float sums[BLOCK];
};

// row: (classes) logits. NaN among them makes the sum NaN; where it is the first, that is the prediction.
__device__ inline Softmax softmax(Shared& shared, const VALUE* row, int classes) {
    int lane = threadIdx.x % ROW;
    int width = classes < ROW ? classes : ROW;
    Candidate best = {-__uint_as_float(0x7f800000), 0}; // -infinity
    for (int k = lane; k < classes; k += ROW) {
        best = better(best, {float(row[k]), k});
    }
    best = acrossRow(shared.candidates, best, width, better);
    float sum = 0;
    for (int k = lane; k < classes; k += ROW) {
        sum += expf(float(row[k]) - best.logit);
    }
    sum = acrossRow(shared.sums, sum, width, [](float a, float b) { return a + b; });
    float first = float(row[0]);
    return {best.logit, sum, first == first ? best.index : 0};
}

// Calls f(n, row, softmax) for each sample n with its row of logits (classes), on all ROW threads of the row.
template <class Function>
__device__ void eachRow(const VALUE* logits, int samples, int classes, Function f) {
    __shared__ Shared shared;
    const int rows = BLOCK / ROW; // of a block
    for (int begin = blockIdx.x * rows; begin < samples; begin += gridDim.x * rows) {
        int n = begin + threadIdx.x / ROW;
        bool present = n < samples; // others go along: all threads of a block must meet
        const VALUE* row = logits + (long long) (present ? n : begin) * classes;
        Softmax distribution = softmax(shared, row, classes);
        if (present) {
            f(n, row, distribution);
        }
    }
}

// The samples' losses, and the gradient of the batch's mean loss by the logits: (softmax - [class is label]) /
// batchSamples. The samples are those from `first` on of a batch that has `batchSamples`.
extern "C" __global__ void cross_entropy(
        VALUE* gradient, // (samples, classes)
        float* sampleLosses, // (samples)
        const VALUE* logits, // (samples, classes)
        const int* labels, // (all samples)
        const int* order, // (all samples): which the epoch takes
        const int* step,
        int batchSize,
        int first,
        int samples,
        int batchSamples,
        int classes) {
    const int* batch = order + (long long) *step * batchSize + first;
    eachRow(logits, samples, classes, [=](int n, const VALUE* row, Softmax distribution) {
        int label = labels[batch[n]];
        VALUE* rowGradient = gradient + (long long) n * classes;
        for (int k = threadIdx.x % ROW; k < classes; k += ROW) {
            float z = float(row[k]);
            rowGradient[k] = VALUE((distribution.at(z) - (k == label ? 1.0f : 0.0f)) / batchSamples);
            if (k == label) {
                sampleLosses[n] = distribution.loss(z);
            }
        }
    });
}

// losses[*step] = the sum of the samples' losses / batchSamples; then *step is the next. One block.
extern "C" __global__ void end_step(
        float* losses, // (steps of the epoch)
        int* step,
        const float* sampleLosses, // (samples)
        int samples,
        int batchSamples) {
    __shared__ double sums[BLOCK];
    double sum = 0;
    for (int n = threadIdx.x; n < samples; n += BLOCK) {
        sum += sampleLosses[n];
    }
    sum = blockSum(sums, sum);
    if (threadIdx.x == 0) {
        // PyTorch adds losses up in float32: where that overflows, the mean is infinite.
        float whole = (float) sum;
        losses[*step] = whole - whole == 0 ? (float) (sum / batchSamples) : whole;
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
        int batchSize,
        int samples,
        int classes) {
    long long begin = (long long) *step * batchSize;
    eachRow(logits, samples, classes, [=](int n, const VALUE* row, Softmax distribution) {
        if (threadIdx.x % ROW == 0) {
            int label = labels[begin + n];
            sampleLosses[begin + n] = distribution.loss(float(row[label]));
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
    eachRow(logits, samples, classes, [=](int n, const VALUE* row, Softmax distribution) {
        for (int k = threadIdx.x % ROW; k < classes; k += ROW) {
            out[(begin + n) * classes + k] = distribution.at(float(row[k]));
        }
    });
}
