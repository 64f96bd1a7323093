// The kernels of the product's .cu files, compiled for the host.
#pragma once

#include <cstddef>
#include <vector>

#include "../driver/chance.h"

namespace trainyard {

struct Grid {
    unsigned x, y, z;
};

struct Launch {
    Grid grid, block;
    Chance chance;       // gives the order of the blocks, and of the threads of each
};

struct Kernel {
    const char* name;
    std::vector<size_t> parameterBytes;
    std::vector<bool> parameterIsPointer;

    // Runs one block after another. parameters: the address of each. Throws a Failure where a GPU would end the context.
    void (*run)(const Launch& launch, void* const* parameters);
};

// The kernel of a program compiled with or without TRAINYARD_BF16; null if the sources have none of this name.
const Kernel* findKernel(bool bfloat16, const char* name);

const std::vector<Kernel>& floatKernels();
const std::vector<Kernel>& bfloat16Kernels();

// The same, reporting each memory access (driver/traffic.cpp).
const std::vector<Kernel>& countedFloatKernels();
const std::vector<Kernel>& countedBfloat16Kernels();

}  // namespace trainyard
