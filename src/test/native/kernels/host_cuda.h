// What CUDA C++ has and C++ has not, so that the product's .cu files compile with g++. Included before their text.
//
// A block's threads run one after another. Only if the first of a warp waits for others does each get a stack of its
// own (fibres.cpp), between which barriers and shuffles change. build.sh makes references into the block's memory of what is
// declared __shared__, one variable a declaration.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels.h"

#define __global__ static
#define __device__
#define __host__
#define __constant__ const
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)

namespace trainyard {

// What CUDA's variables are macros for.
struct Thread {
    Grid threadIdx, blockIdx, blockDim, gridDim;
};

// Accessible without a call, because kernels read it often.
extern __thread Thread currentThread __attribute__((tls_model("initial-exec")));

// Waits for the other threads of the block.
void barrier();

// What the warp's thread `lane` shows when all of the warp come here.
uint64_t show(uint64_t bits, unsigned lane);

// This thread's number in its warp.
unsigned laneOfWarp();

// The block's memory of a declaration, which the address of something static stands for. All ones, which are NaN as
// floats, until the block writes there.
void* sharedMemory(const void* declaration, size_t bytes, size_t alignment);

template <class Type, int declaration>
Type& shared() {
    static const char itself = 0;
    return *static_cast<Type*>(sharedMemory(&itself, sizeof(Type), alignof(Type)));
}

// Runs body(arguments) in each thread of each block.
void runGrid(const Launch& launch, void (*body)(void* const*), void* const* parameters);

template <auto kernel>
struct Invoke;

template <class... Parameter, void (*kernel)(Parameter...)>
struct Invoke<kernel> {
    template <size_t... I>
    static void with(void* const* parameters, std::index_sequence<I...>) {
        kernel(*static_cast<std::remove_reference_t<Parameter>*>(parameters[I])...);
    }

    static void body(void* const* parameters) { with(parameters, std::index_sequence_for<Parameter...>{}); }

    static void run(const Launch& launch, void* const* parameters) { runGrid(launch, &body, parameters); }

    static Kernel named(const char* name) {
        return {name, {sizeof(Parameter)...}, {std::is_pointer_v<Parameter>...}, &run};
    }
};

}  // namespace trainyard

#define threadIdx (::trainyard::currentThread.threadIdx)
#define blockIdx (::trainyard::currentThread.blockIdx)
#define blockDim (::trainyard::currentThread.blockDim)
#define gridDim (::trainyard::currentThread.gridDim)
#define __syncthreads() ::trainyard::barrier()
#define __threadfence() (static_cast<void>(0))  // blocks of one launch run one at a time

// With all threads of the warp.
template <class Value>
inline Value __shfl_sync(unsigned, Value value, unsigned lane) {
    static_assert(sizeof(Value) <= sizeof(uint64_t));
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    bits = ::trainyard::show(bits, lane);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <class Value>
inline Value __shfl_xor_sync(unsigned mask, Value value, unsigned change) {
    return __shfl_sync(mask, value, ::trainyard::laneOfWarp() ^ change);
}

inline unsigned __float_as_uint(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float __uint_as_float(unsigned bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline int __float_as_int(float value) { return static_cast<int>(__float_as_uint(value)); }
inline float __int_as_float(int bits) { return __uint_as_float(static_cast<unsigned>(bits)); }

template <class Value>
inline Value __ldg(const Value* from) {
    return *from;
}

template <class Value>
inline Value min(Value a, Value b) {
    return b < a ? b : a;
}

template <class Value>
inline Value max(Value a, Value b) {
    return a < b ? b : a;
}

inline float rsqrtf(float x) { return 1 / std::sqrt(x); }

// Threads run one at a time, blocks of one launch too.
template <class Value>
inline Value atomicAdd(Value* at, Value change) {
    Value old = *at;
    *at = old + change;
    return old;
}
