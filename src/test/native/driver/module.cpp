// Modules and kernels. What fake NVRTC makes of a source begins with one line, "trainyard-fake sm_90 float" or
// "... bfloat16", and goes on with the source and a zero. Its kernels are looked up among those that were compiled
// into this library.
#include <cstdio>
#include <cstring>
#include <sstream>

#include "state.h"
#include "traffic.h"

namespace trainyard {

namespace {

constexpr unsigned MAX_BLOCK_THREADS = 1024;
constexpr unsigned MAX_GRID_Y = 65535;
constexpr size_t CODE_BYTES = 1 << 20;  // of the device, for each module

Module& moduleOf(Module* handle) {
    Context& context = usableContext();
    auto found = context.modules.find(handle);
    require(found != context.modules.end(), "no module of this context", CUDA_ERROR_INVALID_HANDLE);
    return *found->second;
}

// Machine code runs on a device of its own major version and the same or a later minor one, PTX on any later one.
bool runsHere(const std::string& architecture) {
    int capability = static_cast<int>(setting("TRAINYARD_FAKE_CAPABILITY", 90));
    bool ptx = architecture.rfind("compute_", 0) == 0;
    int compiled = std::atoi(architecture.c_str() + architecture.find('_') + 1);
    return compiled <= capability && (ptx || compiled / 10 == capability / 10);
}

std::shared_ptr<Module> load(Context& context, const char* image) {
    std::istringstream text(image);
    std::string magic, architecture, precision;
    text >> magic >> architecture >> precision;
    require(magic == "trainyard-fake", "no image of the fake NVRTC", CUDA_ERROR_INVALID_IMAGE);
    require(runsHere(architecture), "compiled for another device",
            CUDA_ERROR_NO_BINARY_FOR_GPU);
    int number = std::atoi(architecture.c_str() + architecture.find('_') + 1);
    return std::make_shared<Module>(context, std::strchr(image, '\n'), number, precision == "bfloat16");
}

// Whether the source defines this kernel: the name as a whole word, then a parenthesis.
bool defines(const std::string& source, const std::string& name) {
    auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (size_t at = source.find(name); at != std::string::npos; at = source.find(name, at + 1)) {
        size_t end = at + name.size();
        if ((at == 0 || !isWord(source[at - 1])) && end < source.size() && source[end] == '(') return true;
    }
    return false;
}

// The parameters' values, as they are when the kernel is launched.
struct Arguments {
    std::vector<std::vector<unsigned char>> values;

    Arguments(const Kernel& kernel, void** parameters) {
        for (size_t i = 0; i < kernel.parameterBytes.size(); i++) {
            require(parameters[i] != nullptr, "a parameter's address is null");
            auto* begin = static_cast<unsigned char*>(parameters[i]);
            values.emplace_back(begin, begin + kernel.parameterBytes[i]);
        }
    }

    void* pointer(size_t i) const {
        void* value;
        std::memcpy(&value, values[i].data(), sizeof value);
        return value;
    }
};

void runKernel(const Function& function, const Arguments& arguments, const Launch& launch) {
    require(function.module.loaded, "the kernel's module was unloaded", CUDA_ERROR_ILLEGAL_INSTRUCTION);
    int injected = called(function.failureName.c_str());
    require(injected == 0, "injected", injected);
    if (counting() == NOTHING_RUNS) return;
    std::vector<void*> addresses;
    for (auto& value : arguments.values) addresses.push_back(const_cast<unsigned char*>(value.data()));
    function.kernel.run(launch, addresses.data());
}

}  // namespace

const Kernel* findKernel(bool bfloat16, const char* name) {
    bool counted = counting() != 0;
    auto& all = bfloat16 ? counted ? countedBfloat16Kernels() : bfloat16Kernels()
                         : counted ? countedFloatKernels() : floatKernels();
    for (const Kernel& kernel : all) {
        if (std::strcmp(kernel.name, name) == 0) return &kernel;
    }
    return nullptr;
}

}  // namespace trainyard

using namespace trainyard;

EXPORTED int cuModuleLoadData(Module** module, const void* image) {
    return call("cuModuleLoadData", CONTEXT | UNCAPTURED, [&](Lock&) {
        require(module != nullptr && image != nullptr, "no image");
        Context& context = usableContext();
        std::shared_ptr<Module> loaded = load(context, static_cast<const char*>(image));
        take(context, CODE_BYTES);
        *module = loaded.get();
        context.modules[loaded.get()] = loaded;
        countAlive("module", 1);
    });
}

EXPORTED int cuModuleUnload(Module* module) {
    return call("cuModuleUnload", CONTEXT | UNCAPTURED, [&](Lock& lock) {
        Module& unloaded = moduleOf(module);
        settle(lock, unloaded.context);
        unloaded.loaded = false;  // graphs may hold kernels of it still
        Context& context = unloaded.context;
        context.libraryBytes -= CODE_BYTES;
        driver().usedBytes[context.device] -= CODE_BYTES;
        context.modules.erase(module);
        countAlive("module", -1);
    });
}

EXPORTED int cuModuleGetFunction(Function** function, Module* handle, const char* name) {
    return call("cuModuleGetFunction", CONTEXT, [&](Lock&) {
        Module& module = moduleOf(handle);
        require(name != nullptr && *name != 0, "no name");
        require(defines(module.source, name), name, CUDA_ERROR_NOT_FOUND);
        const Kernel* kernel = findKernel(module.bfloat16, name);
        require(kernel != nullptr, "the source has the kernel, but the fake was built without it",
                CUDA_ERROR_NOT_FOUND);
        auto& known = module.functions[name];
        if (!known) known.reset(new Function{module, *kernel, std::string("kernel ") + name});
        *function = known.get();
    });
}

EXPORTED int cuLaunchKernel(Function* handle, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                            unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream* stream,
                            void** parameters, void** extra) {
    return call("cuLaunchKernel", CONTEXT | ISSUES, [&](Lock&) {
        Context& context = usableContext();
        Function* function = nullptr;
        for (auto& [known, module] : context.modules) {
            for (auto& [name, each] : module->functions) {
                if (each.get() == handle) function = handle;
            }
        }
        require(function != nullptr, "no kernel of this context", CUDA_ERROR_INVALID_HANDLE);
        require(gridX > 0 && gridX < 1u << 31 && gridY > 0 && gridY <= MAX_GRID_Y && gridZ > 0 && gridZ <= MAX_GRID_Y,
                "grid size");
        unsigned long long threads = 1ull * blockX * blockY * blockZ;
        require(threads > 0 && threads <= MAX_BLOCK_THREADS, "block size");
        require(sharedBytes == 0 && extra == nullptr, "shared memory that the kernel does not declare, or extra options");
        require(parameters != nullptr || function->kernel.parameterBytes.empty(), "no parameters");
        auto arguments = std::make_shared<Arguments>(function->kernel, parameters);
        std::vector<Range> touched;
        for (size_t i = 0; i < arguments->values.size(); i++) {
            bool pointer = function->kernel.parameterIsPointer[i] && arguments->pointer(i) != nullptr;
            if (pointer) touched.push_back({arguments->pointer(i), 0});
        }
        Grid grid{gridX, gridY, gridZ}, block{blockX, blockY, blockZ};
        std::shared_ptr<Module> kept = function->module.shared_from_this();
        auto run = [=, &context] {
            (void) kept;
            runKernel(*function, *arguments, {grid, block, nextChance(context)});
        };
        issue(streamOf(context, stream), {function->kernel.name, &context, std::move(touched), run, {}, nullptr});
    });
}
