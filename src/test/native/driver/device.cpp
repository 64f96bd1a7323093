// Devices and their primary contexts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "state.h"

namespace trainyard {

namespace {

thread_local Context* current = nullptr;

constexpr long long DEFAULT_BYTES = 2LL << 30;
constexpr int DEFAULT_CAPABILITY = 90;  // Hopper's
constexpr int DEFAULT_VERSION = 13000;

// CUDA_VISIBLE_DEVICES names devices by number; those before the first bad one count.
std::vector<int> visibleDevices() {
    int count = static_cast<int>(setting("TRAINYARD_FAKE_DEVICES", 2));
    std::vector<int> visible;
    const char* given = std::getenv("CUDA_VISIBLE_DEVICES");
    if (given == nullptr) {
        for (int i = 0; i < count; i++) visible.push_back(i);
        return visible;
    }
    std::stringstream numbers(given);
    for (std::string number; std::getline(numbers, number, ',');) {
        char* end;
        long device = std::strtol(number.c_str(), &end, 10);
        if (end == number.c_str() || device < 0 || device >= count) break;
        visible.push_back(static_cast<int>(device));
    }
    return visible;
}

void destroyContents(Lock& lock, Context& context) {
    auto& captures = driver().captures;
    auto captured = [&](const std::shared_ptr<Capture>& capture) { return &capture->origin->context == &context; };
    captures.erase(std::remove_if(captures.begin(), captures.end(), captured), captures.end());
    while (!context.streams.empty()) {
        Stream& stream = *context.streams.begin()->first;
        while (stream.busy) driver().changed.wait(lock);
        stream.queue.clear();
        stream.completed = stream.issued;
        context.streams.erase(&stream);
        countAlive("stream", -1);
    }
    context.legacy->queue.clear();
    context.legacy->completed = context.legacy->issued;
    countAlive("event", -static_cast<int>(context.events.size()));
    context.events.clear();
    countAlive("module", -static_cast<int>(context.modules.size()));
    for (auto& [handle, module] : context.modules) module->loaded = false;
    context.modules.clear();
    std::vector<void*> owned;
    for (auto& [address, allocation] : driver().memory) {
        if (allocation.owner == &context) owned.push_back(reinterpret_cast<void*>(address));
    }
    for (void* pointer : owned) release(pointer);
    for (auto& other : driver().contexts) other->peers.erase(&context);
    context.peers.clear();
    auto ofContext = [&](const Graph& graph) {
        return !graph.nodes.empty() && graph.nodes.front().work.context == &context;
    };
    for (auto each = driver().executables.begin(); each != driver().executables.end();) {
        bool gone = ofContext(*each->second);
        if (gone) countAlive("executable", -1);
        each = gone ? driver().executables.erase(each) : std::next(each);
    }
    driver().usedBytes[context.device] -= context.libraryBytes;
    context.libraryBytes = 0;
    context.code.clear();
    context.active = false;
    countAlive("context", -1);
    driver().changed.notify_all();
}

Context& contextOf(int device) {
    requireDevice(device);
    return *driver().contexts[device];
}

int attribute(int number) {
    int capability = static_cast<int>(setting("TRAINYARD_FAKE_CAPABILITY", DEFAULT_CAPABILITY));
    switch (number) {  // CUdevice_attribute
        case 1: return 1024;              // MAX_THREADS_PER_BLOCK
        case 2: case 3: return 1024;      // MAX_BLOCK_DIM_X, Y
        case 4: return 64;                // MAX_BLOCK_DIM_Z
        case 5: return 2147483647;        // MAX_GRID_DIM_X
        case 6: case 7: return 65535;     // MAX_GRID_DIM_Y, Z
        case 8: return 48 << 10;          // MAX_SHARED_MEMORY_PER_BLOCK
        case 10: return 32;               // WARP_SIZE
        case 13: return 1000000;          // CLOCK_RATE, kHz
        case 15: return 0;                // GPU_OVERLAP
        case 16: return 4;                // MULTIPROCESSOR_COUNT
        case 20: return 0;                // COMPUTE_MODE: default
        case 31: return 1;                // CONCURRENT_KERNELS
        case 32: return 0;                // ECC_ENABLED
        case 33: return 1;                // PCI_BUS_ID
        case 36: return 1000000;          // MEMORY_CLOCK_RATE
        case 37: return 64;               // GLOBAL_MEMORY_BUS_WIDTH
        case 38: return 1 << 20;          // L2_CACHE_SIZE
        case 39: return 2048;             // MAX_THREADS_PER_MULTIPROCESSOR
        case 41: return 1;                // UNIFIED_ADDRESSING
        case 75: return capability / 10;  // COMPUTE_CAPABILITY_MAJOR
        case 76: return capability % 10;  // COMPUTE_CAPABILITY_MINOR
        default: throw Failure{CUDA_ERROR_INVALID_VALUE, "the fake knows no attribute " + std::to_string(number)};
    }
}

}  // namespace

Driver& driver() {
    static Driver& driver = *new Driver;
    return driver;
}

Chance nextChance(Context& context) {
    Chance ofDevice(seed() * 2 + static_cast<uint64_t>(context.device));
    return Chance(ofDevice.next() + context.runs++);
}

size_t deviceBytes() {
    return static_cast<size_t>(setting("TRAINYARD_FAKE_MEMORY_BYTES", DEFAULT_BYTES));
}

void requireDevice(int device) {
    require(device >= 0 && device < static_cast<int>(driver().contexts.size()), "no such device",
            CUDA_ERROR_INVALID_DEVICE);
}

Context& usableContext() {
    require(current != nullptr, "no context is current on this thread", CUDA_ERROR_INVALID_CONTEXT);
    require(current->active, "the current context was released or reset", CUDA_ERROR_CONTEXT_IS_DESTROYED);
    throwError(*current);
    return *current;
}

Context& currentContext() {
    Lock lock(driver().mutex);
    return usableContext();
}

void throwError(Context& context) {
    require(context.error == CUDA_SUCCESS, "the context has failed before", context.error);
}

}  // namespace trainyard

using namespace trainyard;

EXPORTED int cuInit(unsigned flags) {
    return call("cuInit", ANYTIME, [&](Lock&) {
        require(flags == 0, "flags must be 0");
        Driver& d = driver();
        if (!d.initialised) {
            d.visible = visibleDevices();
            for (size_t i = 0; i < d.visible.size(); i++) {
                d.contexts.push_back(std::make_unique<Context>(static_cast<int>(i)));
                d.contexts.back()->legacy = std::make_shared<Stream>(*d.contexts.back(), true);
            }
            d.usedBytes.resize(d.visible.size());
            d.initialised = true;
        }
        require(!d.visible.empty(), "no device is visible", CUDA_ERROR_NO_DEVICE);
    });
}

EXPORTED int cuDriverGetVersion(int* version) {
    return call("cuDriverGetVersion", ANYTIME, [&](Lock&) {
        require(version != nullptr, "version is null");
        *version = static_cast<int>(setting("TRAINYARD_FAKE_DRIVER_VERSION", DEFAULT_VERSION));
    });
}

EXPORTED int cuGetErrorName(int result, const char** name) {
    switch (result) {
#define R(label, number, text) case number: *name = #label; return CUDA_SUCCESS;
        TRAINYARD_RESULTS(R)
#undef R
        default: *name = nullptr; return CUDA_ERROR_INVALID_VALUE;
    }
}

EXPORTED int cuGetErrorString(int result, const char** string) {
    switch (result) {
#define R(label, number, text) case number: *string = text; return CUDA_SUCCESS;
        TRAINYARD_RESULTS(R)
#undef R
        default: *string = nullptr; return CUDA_ERROR_INVALID_VALUE;
    }
}

EXPORTED int cuDeviceGetCount(int* count) {
    return call("cuDeviceGetCount", INITIALISED, [&](Lock&) { *count = static_cast<int>(driver().visible.size()); });
}

EXPORTED int cuDeviceGet(int* device, int number) {
    return call("cuDeviceGet", INITIALISED, [&](Lock&) {
        requireDevice(number);
        *device = number;
    });
}

EXPORTED int cuDeviceGetName(char* name, int length, int device) {
    return call("cuDeviceGetName", INITIALISED, [&](Lock&) {
        requireDevice(device);
        require(name != nullptr && length > 0, "no room for a name");
        std::snprintf(name, length, "Trainyard fake GPU %d", driver().visible[device]);
    });
}

EXPORTED int cuDeviceGetPCIBusId(char* id, int length, int device) {
    return call("cuDeviceGetPCIBusId", INITIALISED, [&](Lock&) {
        requireDevice(device);
        std::snprintf(id, length, "0000:%02x:00.0", driver().visible[device] + 1);
    });
}

EXPORTED int cuDeviceTotalMem_v2(size_t* bytes, int device) {
    return call("cuDeviceTotalMem_v2", INITIALISED, [&](Lock&) {
        requireDevice(device);
        *bytes = deviceBytes();
    });
}

EXPORTED int cuDeviceGetAttribute(int* value, int number, int device) {
    return call("cuDeviceGetAttribute", INITIALISED, [&](Lock&) {
        requireDevice(device);
        *value = attribute(number);
    });
}

EXPORTED int cuDevicePrimaryCtxRetain(Context** context, int device) {
    return call("cuDevicePrimaryCtxRetain", INITIALISED, [&](Lock&) {
        Context& primary = contextOf(device);
        if (!primary.active) countAlive("context", 1);
        primary.active = true;
        primary.uses++;
        *context = &primary;
    });
}

EXPORTED int cuDevicePrimaryCtxRelease_v2(int device) {
    return call("cuDevicePrimaryCtxRelease_v2", INITIALISED, [&](Lock& lock) {
        Context& primary = contextOf(device);
        require(primary.uses > 0, "nobody retains it", CUDA_ERROR_INVALID_CONTEXT);
        if (--primary.uses == 0 && primary.active) destroyContents(lock, primary);
    });
}

// Does not release it: each owner still has to. It must be retained again before further use.
EXPORTED int cuDevicePrimaryCtxReset_v2(int device) {
    return call("cuDevicePrimaryCtxReset_v2", INITIALISED, [&](Lock& lock) {
        Context& primary = contextOf(device);
        if (primary.active) destroyContents(lock, primary);
    });
}

// As if the process that used a device, or with -1 all of them, had ended and another begun, which has retained the contexts
// that are retained now: the only thing that cures a lost one.
EXPORTED void trainyard_fake_relaunch(int device) {
    Lock lock(driver().mutex);
    for (auto& context : driver().contexts) {
        if (device >= 0 && context->device != device) continue;
        if (context->active) destroyContents(lock, *context);
        context->error = CUDA_SUCCESS;
        context->active = context->uses > 0;
        if (context->active) countAlive("context", 1);
    }
}

EXPORTED int cuCtxSetCurrent(Context* context) {
    return call("cuCtxSetCurrent", INITIALISED, [&](Lock&) {
        bool known = context == nullptr;
        for (auto& each : driver().contexts) known = known || each.get() == context;
        require(known, "no such context", CUDA_ERROR_INVALID_CONTEXT);
        require(context == nullptr || context->active, "it was released or reset", CUDA_ERROR_CONTEXT_IS_DESTROYED);
        current = context;
    });
}

EXPORTED int cuCtxSynchronize() {
    return call("cuCtxSynchronize", CONTEXT | UNCAPTURED, [&](Lock& lock) {
        Context& context = *current;
        for (auto& each : driver().captures) {
            require(&each->origin->context != &context, "a stream of the context is capturing",
                    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        }
        finish(lock, context);
    });
}

EXPORTED int cuDeviceCanAccessPeer(int* can, int device, int peer) {
    return call("cuDeviceCanAccessPeer", INITIALISED, [&](Lock&) {
        requireDevice(device);
        requireDevice(peer);
        *can = device != peer && setting("TRAINYARD_FAKE_PEERS", 1) != 0;
    });
}

EXPORTED int cuCtxEnablePeerAccess(Context* peer, unsigned flags) {
    return call("cuCtxEnablePeerAccess", CONTEXT, [&](Lock&) {
        require(flags == 0, "flags must be 0");
        require(peer != nullptr && peer != current && peer->active, "no other context", CUDA_ERROR_INVALID_CONTEXT);
        require(setting("TRAINYARD_FAKE_PEERS", 1) != 0, "these devices are no peers",
                CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        require(current->peers.insert(peer).second, "enabled before", CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    });
}

EXPORTED int cuCtxDisablePeerAccess(Context* peer) {
    return call("cuCtxDisablePeerAccess", CONTEXT, [&](Lock&) {
        require(current->peers.erase(peer) == 1, "not enabled", CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    });
}
