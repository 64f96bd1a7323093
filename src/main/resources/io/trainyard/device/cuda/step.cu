// Whole training steps of a small network in one kernel: every step's batch, forward and backward pass, update and loss,
// with a meeting of all threads where one needs what others made. The threads are one block, or, where the GPU has
// them, the blocks of one cluster, which run side by side and meet in hardware. What passes from thread to thread lies in
// global memory, which for networks of this size is the level-2 cache.
//
// Every sum is made by one thread or one warp in an order that the shapes alone decide, so the number of blocks
// changes no bit. In float32 only.
#ifndef TRAINYARD_BF16

const int STEP_BLOCK = 512; // threads
const int MOST_STAGES = 20;
const int TAPS = 5; // down a kernel of a convolution, at most
const int DOWN = 4; // neighbours down a column of an image that a thread sums together
const int TOGETHER = 4; // samples, or parameters, that a thread has at hand at once

// What makes a stage's values of those of the stage before.
enum Kind { GATHERED, CONVOLUTION, LINEAR, MAX_POOL, AVERAGE_POOL, COPY };

enum Activation { NO_ACTIVATION, RELU, TANH, SIGMOID };

// A layer, and an activation or a dropout of what it gives. io.trainyard.device.cuda.StepPlan writes it.
struct Stage {
    int kind;
    int activation;
    int channels, rows, columns; // of a sample's values; a vector's rows and columns are 1
    int kernelRows, kernelColumns, strideRows, strideColumns, padRows, padColumns;
    int weight, bias; // where they begin among the parameters; -1: none
    int values; // where in the scratch memory they begin, (samples, channels, rows, columns)
    int gradient; // the same of the loss's derivative by what the layer gives; -1 where nobody asks
    int chosen; // as values: row * columns + column of the largest of each window
    int mask; // values of a sample's dropout masks before its own; -1: none
    int maskPerChannel;
    float maskScale;

    __device__ int area() const {
        return rows * columns;
    }

    __device__ int elements() const {
        return channels * rows * columns;
    }
};

struct Plan {
    int stages; // with the batch itself
    int firstTrained; // the first stage with parameters
    int batchSize; // of a full batch
    int samples; // of an epoch
    int window; // steps whose changes and masks are on the device at a time
    int maskValues; // of a sample, of all masks
    int samplesAreBytes;
    int sampleLosses; // where in the scratch memory
    int batchValues; // of a full batch: the distance between the places of two batches, which take turns
    int squaredError; // 0: cross-entropy
    float smoothing, sumOfWeights; // of cross-entropy
    int optimizer; // an Optimizer
    float numbers[6]; // of the optimizer, the same in each step
    Stage stage[MOST_STAGES];
};

static_assert(sizeof(Plan) == 4 * (19 + 19 * MOST_STAGES), "io.trainyard.device.cuda.StepPlan writes as many numbers");

enum Optimizer { SGD, ADAM, RMSPROP };

// All that lies in global memory. Null is what there is none of.
struct Memory {
    float* scratch;
    float* weights; // all parameters
    Slots slots; // of all parameters
    const float* scalars; // (steps of the epoch, 8)
    const void* images; // (all samples, channels, rows, columns) of bytes or floats
    const float* table;
    const int* imageOrder; // (all samples): where in images
    const int* order; // (all samples): which the epoch takes
    const short* changes; // (window, batchSize, 7)
    const unsigned char* masks; // (window, batchSize * maskValues)
    const void* targets; // (all samples) classes or (all samples, outputs) numbers
    const float* batchWeights; // (steps of the epoch)
    const float* classWeights; // (classes)
    float* losses; // (steps of the epoch)
};

__device__ inline float activated(int activation, float x) {
    switch (activation) {
        case RELU: return x <= 0 ? 0.0f : x; // NaN stays
        case TANH: return tanhf(x);
        case SIGMOID: return 1 / (1 + expf(-x));
        default: return x;
    }
}

// The gradient before an activation that gave y.
__device__ inline float beforeActivation(int activation, float y, float gradient) {
    switch (activation) {
        case RELU: return y <= 0 ? 0.0f : gradient;
        case TANH: return gradient * (1 - y * y);
        case SIGMOID: return gradient * y * (1 - y);
        default: return gradient;
    }
}

// A kernel of a convolution; flipped the ways are negative.
struct Filter {
    const float* first;
    int ofChannel, ofRow, ofColumn; // the way to the next
    int rows, columns;
};

// sums[d] += the window of an image whose first row is row + d, times the filter. Outside of the image is 0.
__device__ inline void addWindows(
        float (&sums)[DOWN], const float* image, int channels, int rows, int columns, Filter filter, int row, int column) {
    for (int channel = 0; channel < channels; channel++) {
        for (int b = 0; b < filter.columns; b++) {
            float weight[TAPS];
            for (int a = 0; a < TAPS; a++) {
                const float* tap = filter.first + channel * filter.ofChannel + a * filter.ofRow + b * filter.ofColumn;
                weight[a] = a < filter.rows ? *tap : 0;
            }
            bool inside = column + b >= 0 && column + b < columns;
            float x[DOWN + TAPS - 1];
            for (int d = 0; d < DOWN + TAPS - 1; d++) {
                bool has = inside && d < DOWN + filter.rows - 1 && row + d >= 0 && row + d < rows;
                x[d] = has ? image[(channel * rows + row + d) * columns + column + b] : 0;
            }
            for (int a = 0; a < TAPS; a++) {
                if (a < filter.rows) {
                    for (int d = 0; d < DOWN; d++) {
                        sums[d] = fmaf(weight[a], x[d + a], sums[d]);
                    }
                }
            }
        }
    }
}

// A step under way, as one thread has it.
struct Step {
    const Plan& plan;
    const Memory& memory;
    int number; // of the epoch
    int samples; // of its batch
    int turn; // of the block's warps: the one to take the next task

    __device__ void begin(int newNumber) {
        number = newNumber;
        samples = min(plan.batchSize, plan.samples - number * plan.batchSize);
    }

    __device__ float* values(int stage) const {
        int turns = stage == 0 ? number % 2 * plan.batchValues : 0;
        return memory.scratch + plan.stage[stage].values + turns;
    }

    __device__ float* gradient(int stage) const {
        return memory.scratch + plan.stage[stage].gradient;
    }

    // Calls f(task) on all threads of a warp. The blocks have neighbouring tasks, as many each as can be; the warps of a
    // block take them in turn, and go on with the next tasks where those before left off, without a meeting.
    template <class Function>
    __device__ void eachTask(int tasks, Function f) {
        int warps = blockDim.x / WARP;
        int share = (tasks + gridDim.x - 1) / gridDim.x;
        int first = min((int) blockIdx.x * share, tasks);
        int count = min(share, tasks - first);
        int warp = threadIdx.x / WARP;
        for (int task = warp < turn ? warp + warps - turn : warp - turn; task < count; task += warps) {
            f(first + task);
        }
        turn = (turn + count) % warps;
    }

    // Calls f(i) for each i from 0 on, each on one thread.
    template <class Function>
    __device__ void each(int count, Function f) {
        eachTask((count + WARP - 1) / WARP, [&](int task) {
            int i = task * WARP + threadIdx.x % WARP;
            if (i < count) {
                f(i);
            }
        });
    }

    // What dropout multiplies the value `at` of a sample by.
    __device__ float kept(const Stage& stage, int n, int at) const {
        if (stage.mask < 0) {
            return 1;
        }
        const unsigned char* masks =
                memory.masks + (long long) (number % plan.window) * plan.batchSize * plan.maskValues + stage.mask * samples;
        int draw = stage.maskPerChannel ? n * stage.channels + at / stage.area() : n * stage.elements() + at;
        return masks[draw] ? stage.maskScale : 0.0f;
    }

    // Has what a stage's layer gives go through its activation or dropout.
    __device__ void give(int s, int n, int at, float x) const {
        const Stage& stage = plan.stage[s];
        values(s)[n * stage.elements() + at] = activated(stage.activation, x) * kept(stage, n, at);
    }

    // Has the gradient by a stage's value go back through its dropout or activation.
    __device__ void giveBack(int s, int n, int at, float dy) const {
        const Stage& stage = plan.stage[s];
        int i = n * stage.elements() + at;
        gradient(s)[i] = beforeActivation(stage.activation, values(s)[i], dy * kept(stage, n, at));
    }

    // ---- the batch

    __device__ void gatherBatch() const {
        const Stage& to = plan.stage[0];
        float* out = values(0);
        if (plan.samplesAreBytes) {
            Bytes bytes = {(const unsigned char*) memory.images, memory.table};
            gather(out, bytes, memory.imageOrder, memory.changes, number, plan.batchSize, 0, samples, to.channels, to.rows,
                    to.columns, plan.window, 0);
        } else {
            Floats floats = {(const float*) memory.images, memory.table};
            gather(out, floats, memory.imageOrder, memory.changes, number, plan.batchSize, 0, samples, to.channels, to.rows,
                    to.columns, plan.window, 0);
        }
    }

    // ---- forward

    __device__ void convolve(int s) {
        const Stage& in = plan.stage[s - 1];
        const Stage& out = plan.stage[s];
        int tiles = (out.rows + DOWN - 1) / DOWN;
        int area = out.kernelRows * out.kernelColumns;
        each(samples * out.channels * tiles * out.columns, [&](int i) {
            int column = i % out.columns;
            int row = i / out.columns % tiles * DOWN;
            int plane = i / out.columns / tiles;
            int n = plane / out.channels;
            int channel = plane % out.channels;
            Filter filter = {memory.weights + out.weight + channel * in.channels * area, area, out.kernelColumns, 1,
                    out.kernelRows, out.kernelColumns};
            float sums[DOWN] = {};
            addWindows(sums, values(s - 1) + n * in.elements(), in.channels, in.rows, in.columns, filter,
                    row - out.padRows, column - out.padColumns);
            float bias = out.bias < 0 ? 0 : memory.weights[out.bias + channel];
            for (int d = 0; d < DOWN; d++) {
                if (row + d < out.rows) {
                    give(s, n, (channel * out.rows + row + d) * out.columns + column, sums[d] + bias);
                }
            }
        });
    }

    // A warp sums an output of TOGETHER samples.
    __device__ void multiply(int s) {
        int width = plan.stage[s - 1].elements();
        const Stage& out = plan.stage[s];
        int lane = threadIdx.x % WARP;
        const float* x = values(s - 1);
        eachTask(out.channels * ((samples + TOGETHER - 1) / TOGETHER), [&](int task) {
            int output = task % out.channels;
            int first = task / out.channels * TOGETHER;
            const float* weights = memory.weights + out.weight + output * width;
            float sums[TOGETHER] = {};
#pragma unroll 4
            for (int i = lane; i < width; i += WARP) {
                float weight = weights[i];
                for (int k = 0; k < TOGETHER; k++) {
                    sums[k] = fmaf(weight, x[min(first + k, samples - 1) * width + i], sums[k]);
                }
            }
            for (int k = 0; k < TOGETHER; k++) {
                float sum = warpSum(sums[k]);
                if (lane == k && first + k < samples) {
                    give(s, first + k, output, sum + (out.bias < 0 ? 0 : memory.weights[out.bias + output]));
                }
            }
        });
    }

    // The largest of each window, of equals the first, of several NaN the last; or their mean.
    __device__ void pool(int s) {
        const Stage& in = plan.stage[s - 1];
        const Stage& out = plan.stage[s];
        bool mean = out.kind == AVERAGE_POOL;
        int* chosen = (int*) memory.scratch + out.chosen;
        each(samples * out.elements(), [&](int i) {
            int row = i / out.columns % out.rows * out.strideRows;
            int column = i % out.columns * out.strideColumns;
            const float* image = values(s - 1) + i / out.area() * in.area();
            int at = row * in.columns + column;
            float largest = image[at];
            float sum = 0;
            for (int a = 0; a < out.kernelRows; a++) {
                for (int b = 0; b < out.kernelColumns; b++) {
                    int next = (row + a) * in.columns + column + b;
                    float value = image[next];
                    sum += value;
                    if (value > largest || value != value) {
                        largest = value;
                        at = next;
                    }
                }
            }
            if (!mean) {
                chosen[i] = at;
            }
            give(s, i / out.elements(), i % out.elements(), mean ? sum / (out.kernelRows * out.kernelColumns) : largest);
        });
    }

    __device__ void forward(int s) {
        const Stage& stage = plan.stage[s];
        switch (stage.kind) {
            case CONVOLUTION: return convolve(s);
            case LINEAR: return multiply(s);
            case COPY:
                return each(samples * stage.elements(), [&](int i) {
                    give(s, i / stage.elements(), i % stage.elements(), values(s - 1)[i]);
                });
            default: return pool(s);
        }
    }

    // ---- the loss

    // The losses of the batch's samples, and the gradient by what the last layer gives. A warp takes a sample.
    __device__ void differentiate() {
        int last = plan.stages - 1;
        int outputs = plan.stage[last].elements();
        float* sampleLosses = memory.scratch + plan.sampleLosses;
        float batchWeight = memory.batchWeights[number];
        Loss loss = {memory.classWeights, plan.smoothing};
        eachTask(samples, [&](int n) {
            long long image = memory.order[number * plan.batchSize + n];
            const float* row = values(last) + n * outputs;
            float* rowGradient = gradient(last) + n * outputs;
            if (plan.squaredError) {
                const float* target = (const float*) memory.targets + image * outputs;
                Errors errors = rowErrors(rowGradient, row, target, outputs, batchWeight);
                if (threadIdx.x % WARP == 0) {
                    sampleLosses[n] = errors.squares;
                }
            } else {
                int label = ((const int*) memory.targets)[image];
                Softmax distribution = softmax(row, outputs);
                float ofAll = lossOfAll(row, outputs, loss, distribution);
                rowLoss(rowGradient, sampleLosses + n, row, outputs, label, batchWeight, loss, plan.sumOfWeights,
                        distribution, ofAll);
            }
            for (int k = threadIdx.x % WARP; k < outputs; k += WARP) { // as it wrote them
                giveBack(last, n, k, rowGradient[k]);
            }
        });
    }

    // One warp.
    __device__ void recordLoss() const {
        const float* sampleLosses = memory.scratch + plan.sampleLosses;
        double sum = 0;
        for (int n = threadIdx.x; n < samples; n += WARP) {
            sum += sampleLosses[n];
        }
        sum = warpSum(sum);
        if (threadIdx.x == 0) {
            memory.losses[number] = meanLoss(sum, memory.batchWeights[number]);
        }
    }

    // ---- backward: from the gradient by what stage s's layer gives to that of the stage before

    // A convolution of the gradient with the kernel flipped, output channels for input channels.
    __device__ void convolveBack(int s) {
        const Stage& to = plan.stage[s - 1];
        const Stage& from = plan.stage[s];
        int tiles = (to.rows + DOWN - 1) / DOWN;
        int area = from.kernelRows * from.kernelColumns;
        each(samples * to.channels * tiles * to.columns, [&](int i) {
            int column = i % to.columns;
            int row = i / to.columns % tiles * DOWN;
            int plane = i / to.columns / tiles;
            int n = plane / to.channels;
            int channel = plane % to.channels;
            Filter filter = {memory.weights + from.weight + (channel + 1) * area - 1, to.channels * area,
                    -from.kernelColumns, -1, from.kernelRows, from.kernelColumns};
            float sums[DOWN] = {};
            addWindows(sums, gradient(s) + n * from.elements(), from.channels, from.rows, from.columns, filter,
                    row + from.padRows - from.kernelRows + 1, column + from.padColumns - from.kernelColumns + 1);
            for (int d = 0; d < DOWN; d++) {
                if (row + d < to.rows) {
                    giveBack(s - 1, n, (channel * to.rows + row + d) * to.columns + column, sums[d]);
                }
            }
        });
    }

    // A warp sums WARP / TOGETHER neighbouring inputs of TOGETHER samples: TOGETHER lanes share an input, each with its
    // part of the outputs.
    __device__ void multiplyBack(int s) {
        const int inputs = WARP / TOGETHER;
        const Stage& from = plan.stage[s];
        int width = plan.stage[s - 1].elements();
        int groups = (width + inputs - 1) / inputs;
        int lane = threadIdx.x % WARP;
        int part = lane / inputs;
        const float* weights = memory.weights + from.weight;
        const float* dy = gradient(s);
        eachTask(groups * ((samples + TOGETHER - 1) / TOGETHER), [&](int task) {
            int input = task % groups * inputs + lane % inputs;
            int first = task / groups * TOGETHER;
            int read = min(input, width - 1);
            float sums[TOGETHER] = {};
#pragma unroll 4
            for (int output = part; output < from.channels; output += TOGETHER) {
                float weight = weights[output * width + read];
                for (int k = 0; k < TOGETHER; k++) {
                    sums[k] = fmaf(weight, dy[min(first + k, samples - 1) * from.channels + output], sums[k]);
                }
            }
            for (int k = 0; k < TOGETHER; k++) {
                float sum = warpSum(sums[k], inputs);
                if (part == k && first + k < samples && input < width) {
                    giveBack(s - 1, first + k, input, sum);
                }
            }
        });
    }

    // Each input collects from the windows that chose it, or that it is in.
    __device__ void poolBack(int s) {
        const Stage& to = plan.stage[s - 1];
        const Stage& from = plan.stage[s];
        bool mean = from.kind == AVERAGE_POOL;
        const int* chosen = (const int*) memory.scratch + from.chosen;
        each(samples * to.elements(), [&](int i) {
            int row = i / to.columns % to.rows;
            int column = i % to.columns;
            int own = row * to.columns + column;
            int plane = i / to.area() * from.area();
            Windows rows = covering(row, row, from.kernelRows, from.strideRows, from.rows);
            Windows columns = covering(column, column, from.kernelColumns, from.strideColumns, from.columns);
            float sum = 0;
            for (int a = rows.first; a <= rows.last; a++) {
                for (int b = columns.first; b <= columns.last; b++) {
                    int window = plane + a * from.columns + b;
                    if (mean || chosen[window] == own) {
                        sum += gradient(s)[window];
                    }
                }
            }
            giveBack(s - 1, i / to.elements(), i % to.elements(),
                    mean ? sum / (from.kernelRows * from.kernelColumns) : sum);
        });
    }

    __device__ void backward(int s) {
        const Stage& stage = plan.stage[s];
        switch (stage.kind) {
            case CONVOLUTION: return convolveBack(s);
            case LINEAR: return multiplyBack(s);
            case COPY:
                return each(samples * stage.elements(), [&](int i) {
                    giveBack(s - 1, i / stage.elements(), i % stage.elements(), gradient(s)[i]);
                });
            default: return poolBack(s);
        }
    }

    // ---- the update: gradients of parameters go no further than the thread that sums them

    // The optimizer's step for the parameters at[k] whose gradients are g[k]; -1: none.
    template <int COUNT, class Rule>
    __device__ void follow(Rule rule, const int (&at)[COUNT], const float (&g)[COUNT]) const {
        float w[COUNT] = {};
        float kept[COUNT][SLOTS] = {};
        for (int k = 0; k < COUNT; k++) {
            if (at[k] >= 0) {
                w[k] = memory.weights[at[k]];
                for (int slot = 0; slot < SLOTS; slot++) {
                    kept[k][slot] = memory.slots.at[slot] ? memory.slots.at[slot][at[k]] : 0;
                }
            }
        }
        for (int k = 0; k < COUNT; k++) {
            if (at[k] >= 0) {
                memory.weights[at[k]] = rule.next(w[k], g[k], kept[k]);
                for (int slot = 0; slot < SLOTS; slot++) {
                    if (memory.slots.at[slot]) {
                        memory.slots.at[slot][at[k]] = kept[k][slot];
                    }
                }
            }
        }
    }

    template <int COUNT>
    __device__ void follow(const int (&at)[COUNT], const float (&g)[COUNT]) const {
        const float* now = memory.scalars + number * OF_STEP;
        const float* same = plan.numbers;
        bool second = memory.slots.at[1] != nullptr;
        bool third = memory.slots.at[2] != nullptr;
        switch (plan.optimizer) {
            case SGD: {
                Sgd rule = {now[0], now[1], now[2], same[0], same[1] != 0, memory.slots.at[0] != nullptr};
                return follow(rule, at, g);
            }
            case ADAM: {
                Adam rule = {now[0], now[1], now[2], now[3], now[4] != 0, same[0], same[1], same[2], same[3], third};
                return follow(rule, at, g);
            }
            default: {
                Rmsprop rule = {now[0], now[1], same[0], same[1], same[2], same[3] != 0, same[4], same[5], second, third};
                return follow(rule, at, g);
            }
        }
    }

    // A warp sums a column of a kernel over all places of one channel of the output and one of the input.
    __device__ void updateKernels(int s) {
        const Stage& in = plan.stage[s - 1];
        const Stage& out = plan.stage[s];
        int lane = threadIdx.x % WARP;
        eachTask(out.channels * in.channels * out.kernelColumns, [&](int task) {
            int b = task % out.kernelColumns;
            int pair = task / out.kernelColumns;
            float sums[TAPS] = {};
            for (int i = lane; i < samples * out.columns; i += WARP) {
                int n = i / out.columns;
                int column = i % out.columns + b - out.padColumns;
                bool inside = column >= 0 && column < in.columns; // outside is 0, which may be times infinity
                const float* x = values(s - 1) + n * in.elements() + pair % in.channels * in.area() + column;
                const float* dy = gradient(s) + n * out.elements() + pair / in.channels * out.area() + i % out.columns;
                for (int row = 0; row < out.rows; row += DOWN) {
                    float value[DOWN + TAPS - 1];
                    for (int d = 0; d < DOWN + TAPS - 1; d++) {
                        int from = row + d - out.padRows;
                        value[d] = inside && from >= 0 && from < in.rows ? x[from * in.columns] : 0;
                    }
                    for (int d = 0; d < DOWN; d++) {
                        if (row + d < out.rows) {
                            float slope = dy[(row + d) * out.columns];
                            for (int a = 0; a < TAPS; a++) { // those beyond the kernel are for nobody
                                sums[a] = fmaf(slope, value[d + a], sums[a]);
                            }
                        }
                    }
                }
            }
            float g[1] = {};
            for (int a = 0; a < TAPS; a++) {
                float sum = warpSum(sums[a]);
                g[0] = lane == a ? sum : g[0];
            }
            int weight = out.weight + (pair * out.kernelRows + lane) * out.kernelColumns + b;
            int at[1] = {lane < out.kernelRows ? weight : -1};
            follow(at, g);
        });
    }

    __device__ void updateMatrix(int s) {
        int width = plan.stage[s - 1].elements();
        const Stage& out = plan.stage[s];
        int count = out.channels * width;
        const float* x = values(s - 1);
        const float* dy = gradient(s);
        eachTask((count + TOGETHER * WARP - 1) / (TOGETHER * WARP), [&](int task) {
            int input[TOGETHER];
            int output[TOGETHER];
            int at[TOGETHER];
            float g[TOGETHER] = {};
            for (int k = 0; k < TOGETHER; k++) {
                int i = (task * TOGETHER + k) * WARP + threadIdx.x % WARP;
                at[k] = i < count ? out.weight + i : -1;
                output[k] = min(i, count - 1) / width;
                input[k] = min(i, count - 1) % width;
            }
            for (int n = 0; n < samples; n++) {
                for (int k = 0; k < TOGETHER; k++) {
                    g[k] = fmaf(dy[n * out.channels + output[k]], x[n * width + input[k]], g[k]);
                }
            }
            follow(at, g);
        });
    }

    // A warp sums a channel.
    __device__ void updateBias(int s) {
        const Stage& out = plan.stage[s];
        int lane = threadIdx.x % WARP;
        eachTask(out.channels, [&](int channel) {
            float sum = 0;
            for (int i = lane; i < samples * out.area(); i += WARP) {
                sum += gradient(s)[i / out.area() * out.elements() + channel * out.area() + i % out.area()];
            }
            float g[1] = {warpSum(sum)};
            int at[1] = {lane == 0 ? out.bias + channel : -1};
            follow(at, g);
        });
    }

    __device__ void update(int s) {
        const Stage& stage = plan.stage[s];
        if (stage.weight < 0) {
            return;
        }
        if (stage.kind == LINEAR) {
            updateMatrix(s);
        } else {
            updateKernels(s);
        }
        if (stage.bias >= 0) {
            updateBias(s);
        }
    }
};

// The steps of the epoch from `first` on. `meet` is called by all threads: what any of them wrote before, all see after.
//
// A stage's parameters are updated when nobody reads them any more, while the gradient of the stage before is on its
// way; with the last of them the next batch is gathered.
template <class Meet>
__device__ void trainSteps(const Plan& plan, const Memory& memory, int first, int steps, Meet meet) {
    Step step = {plan, memory, 0, 0, 0};
    for (int number = first - 1; number < first + steps; number++) {
        if (number >= first) {
            for (int s = 1; s < plan.stages; s++) {
                step.forward(s);
                meet();
            }
            step.differentiate();
            meet();
            for (int s = plan.stages - 1; s >= plan.firstTrained; s--) {
                bool last = s == plan.firstTrained;
                if (!last) {
                    step.backward(s);
                }
                for (int updated = min(s + 1, plan.stages - 1); updated >= (last ? s : s + 1); updated--) {
                    step.update(updated);
                }
                if (!last) {
                    meet();
                }
            }
            if (blockIdx.x == 0 && threadIdx.x < WARP) {
                step.recordLoss();
            }
        }
        if (number + 1 < first + steps) {
            step.begin(number + 1);
            step.gatherBatch();
        }
        meet();
    }
}

#define STEP_PARAMETERS \
    const __grid_constant__ Plan plan, float *scratch, float *weights, float *slot0, float *slot1, float *slot2, \
            const float *scalars, const unsigned char *images, const float *table, const int *imageOrder, \
            const int *order, const short *changes, const unsigned char *masks, const int *targets, \
            const float *batchWeights, const float *classWeights, float *losses, int first, int steps

#define STEP_MEMORY \
    { \
        scratch, weights, {slot0, slot1, slot2}, scalars, images, table, imageOrder, order, changes, masks, targets, \
                batchWeights, classWeights, losses \
    }

// What the GPU at hand does not need is not compiled for it.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 900
// One block of STEP_BLOCK threads.
extern "C" __global__ void __launch_bounds__(STEP_BLOCK, 1) train_steps(STEP_PARAMETERS) {
    Memory memory = STEP_MEMORY;
    trainSteps(plan, memory, first, steps, [] { __syncthreads(); });
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
const int CLUSTER = 8; // blocks: the most that every GPU with clusters has

// One cluster of blocks of STEP_BLOCK threads.
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(STEP_BLOCK, 1)
        train_steps_in_cluster(STEP_PARAMETERS) {
    Memory memory = STEP_MEMORY;
    trainSteps(plan, memory, first, steps, [] {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    });
}
#endif

#endif
