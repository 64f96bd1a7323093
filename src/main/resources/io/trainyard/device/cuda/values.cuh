// Definitions that all kernels share. This file comes first: NVRTC compiles all files of this folder as one program
// without includes.
//
// A tensor's values are VALUE: float, or bfloat16 in a program compiled with TRAINYARD_BF16. Kernels compute in float.
// Parameters and their gradients are floats in both. A batch of images is (samples, channels, rows, columns), or
// with `channelsLast` (samples, rows, columns, channels); the area of an image is its rows times its columns.
//
// Kernels run in one-dimensional grids of BLOCK threads per block. Unless documented otherwise, a kernel processes all
// values with any number of blocks, and gives the same bits every time. Parameters that may be null are not accessed
// if they are.

const int BLOCK = 256;

#ifdef TRAINYARD_BF16
// The upper half of a float.
struct Bfloat16 {
    unsigned short bits;

    Bfloat16() = default;

    // Rounds to the nearest, of two equally near to the even one; NaN stays NaN.
    __device__ explicit Bfloat16(float x) {
#if __CUDA_ARCH__ >= 800
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
#else
        unsigned exact = __float_as_uint(x);
        unsigned rounded = exact + 0x7fff + (exact >> 16 & 1);
        bits = (x == x ? rounded : exact | 0x400000) >> 16;
#endif
    }

    __device__ explicit operator float() const {
        return __uint_as_float((unsigned) bits << 16);
    }
};

typedef Bfloat16 VALUE;
#else
typedef float VALUE;
#endif

// COUNT neighbours in memory, loaded and stored at once.
template <class Type, int COUNT>
struct alignas(sizeof(Type) * COUNT) Group {
    Type at[COUNT];
};

// Whether groups may begin here.
template <int COUNT, class Type>
__device__ inline bool aligned(const Type* address) {
    return (unsigned long long) address % sizeof(Group<Type, COUNT>) == 0;
}

template <int COUNT, class Type>
__device__ inline Group<Type, COUNT> load(const Type* from, long long first) {
    return *(const Group<Type, COUNT>*) (from + first);
}

template <class Type, int COUNT>
__device__ inline void store(Type* to, long long first, Group<Type, COUNT> group) {
    *(Group<Type, COUNT>*) (to + first) = group;
}

// As above if the whole group is among the first n and aligned, otherwise one by one, with 0 beyond n.
template <int COUNT, class Type>
__device__ inline Group<Type, COUNT> load(const Type* from, long long first, long long n) {
    if (aligned<COUNT>(from) && first + COUNT <= n) {
        return load<COUNT>(from, first);
    }
    Group<Type, COUNT> group;
    for (int k = 0; k < COUNT; k++) {
        group.at[k] = first + k < n ? from[first + k] : Type(0);
    }
    return group;
}

template <class Type, int COUNT>
__device__ inline void store(Type* to, long long first, long long n, Group<Type, COUNT> group) {
    if (aligned<COUNT>(to) && first + COUNT <= n) {
        store(to, first, group);
        return;
    }
    for (int k = 0; k < COUNT; k++) {
        if (first + k < n) {
            to[first + k] = group.at[k];
        }
    }
}

// How many values fit into 16 bytes, the most that there is an instruction for.
const int LANES = 16 / sizeof(VALUE);

// This thread's number in the grid.
__device__ inline long long thread() {
    return (long long) blockIdx.x * blockDim.x + threadIdx.x;
}

// The grid's threads.
__device__ inline long long threads() {
    return (long long) gridDim.x * blockDim.x;
}

// i / divisor for i >= 0. Dividing 64 bits takes several times as long as 32, and few tensors need it.
__device__ inline long long quotient(long long i, int divisor) {
    return i < 1ll << 32 ? (unsigned) i / (unsigned) divisor : i / divisor;
}

// y[i] = f(x[i], i). y may be x.
template <class Function>
__device__ void map(VALUE* y, const VALUE* x, long long n, Function f) {
    for (long long i = thread() * LANES; i < n; i += threads() * LANES) {
        Group<VALUE, LANES> group = load<LANES>(x, i, n);
        for (int k = 0; k < LANES; k++) {
            group.at[k] = VALUE(f(float(group.at[k]), i + k));
        }
        store(y, i, n, group);
    }
}

// y[i] = f(a[i], b[i]). y may be a or b.
template <class Function>
__device__ void map(VALUE* y, const VALUE* a, const VALUE* b, long long n, Function f) {
    for (long long i = thread() * LANES; i < n; i += threads() * LANES) {
        Group<VALUE, LANES> first = load<LANES>(a, i, n);
        Group<VALUE, LANES> second = load<LANES>(b, i, n);
        for (int k = 0; k < LANES; k++) {
            first.at[k] = VALUE(f(float(first.at[k]), float(second.at[k])));
        }
        store(y, i, n, first);
    }
}

// Threads of a warp: those that give each other values without memory. All of them come to such an exchange.
const int WARP = 32;

// The sum of a value of each thread of a warp, in a fixed order; all of them get it. With a larger `from`, the sums
// of the threads with the same number modulo `from`.
template <class Number>
__device__ Number warpSum(Number value, int from = 1) {
    for (int distance = WARP / 2; distance >= from; distance /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, distance);
    }
    return value;
}

// The sum of a value of each thread of a block, in a fixed order. The first thread has it.
//
// sums: (BLOCK), shared
template <class Number>
__device__ Number blockSum(Number* sums, Number value) {
    sums[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        __syncthreads();
    }
    return sums[0];
}
