// Kernels that show how the fake runs kernels (KernelsOfFakeCudaTest). The product has none of them.

extern "C" __global__ void probe_order(int* count, int* blocks, int* threads) {
    if (blockIdx.x == 0) threads[threadIdx.x] = atomicAdd(count + 1, 1);
    if (threadIdx.x == 0) blocks[atomicAdd(count, 1)] = blockIdx.x;
}

// What shared memory holds before anything was written there: in each block, though the one before has written.
extern "C" __global__ void probe_shared(float* found) {
    __shared__ float values[4][64];
    int thread = threadIdx.x;
    found[blockIdx.x * 256 + thread] = values[thread / 64][thread % 64];
    values[thread / 64][thread % 64] = 1;
}

extern "C" __global__ void probe_missing_barrier(float* sums) {
    __shared__ float values[256];
    values[threadIdx.x] = 1;
    float sum = 0;
    for (int i = 0; i < 256; i++) sum += values[i];
    sums[blockIdx.x * 256 + threadIdx.x] = sum;
}

extern "C" __global__ void probe_alignment(const float* values, float* to) {
    to[blockIdx.x * 256 + threadIdx.x] = values[threadIdx.x];
}

// Each thread's number added up over its warp, and the number of its warp's sixth thread.
extern "C" __global__ void probe_shuffles(int* sums, int* sixths) {
    int sum = threadIdx.x;
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
    sums[blockIdx.x * 256 + threadIdx.x] = sum;
    sixths[blockIdx.x * 256 + threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 5);
}

extern "C" __global__ void probe_missing_lane(int* sums) {
    if (threadIdx.x != 70) sums[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 0);
}
