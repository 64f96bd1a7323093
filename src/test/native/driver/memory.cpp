// Device and pinned memory.
//
// New memory is filled with ones, which are NaN as floats: reads before the first write are visible. Around each
// allocation is a border of known bytes, which makes writes outside of it visible.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "state.h"

namespace trainyard {

namespace {

constexpr size_t GRANULE = 512;  // allocations are this big or a multiple, and so aligned
constexpr size_t BORDER = 512;
constexpr unsigned char BORDER_BYTE = 0xB0;
constexpr unsigned char FRESH_BYTE = 0xFF;
constexpr int PEERS_THAT_DROP = 2;

// Blocks as large as cuBLAS's workspace would be mapped and touched page by page each time, which is most of a short
// session's time. Therefore some freed blocks are retained.
constexpr size_t LARGE = 1 << 20;
constexpr size_t MOST_SPARE_BYTES = 256 << 20;

size_t rounded(size_t bytes) { return (bytes + GRANULE - 1) / GRANULE * GRANULE; }

// Freed blocks by their size. The driver's lock guards them.
struct Spare {
    std::multimap<size_t, unsigned char*> blocks;
    size_t bytes = 0;
};

Spare& spare() {
    static Spare& spare = *new Spare;
    return spare;
}

size_t blockBytes(size_t total) { return total < LARGE ? total : (total + LARGE - 1) / LARGE * LARGE; }

unsigned char* takeBlock(size_t bytes) {
    auto found = spare().blocks.find(bytes);
    if (found == spare().blocks.end()) return static_cast<unsigned char*>(std::aligned_alloc(GRANULE, bytes));
    unsigned char* block = found->second;
    spare().blocks.erase(found);
    spare().bytes -= bytes;
    return block;
}

void giveBlock(unsigned char* block, size_t bytes) {
    if (bytes < LARGE || spare().bytes + bytes > MOST_SPARE_BYTES) {
        std::free(block);
        return;
    }
    spare().blocks.emplace(bytes, block);
    spare().bytes += bytes;
}

size_t totalBytes(size_t bytes) { return rounded(bytes) + 2 * BORDER; }

bool isBorder(const unsigned char* from, const unsigned char* to) {
    for (; from < to; from++) {
        if (*from != BORDER_BYTE) return false;
    }
    return true;
}

bool hasIntactBorders(uintptr_t address, const Allocation& allocation) {
    auto* begin = reinterpret_cast<const unsigned char*>(address);
    return isBorder(begin - BORDER, begin) &&
           isBorder(begin + allocation.bytes, begin + rounded(allocation.bytes) + BORDER);
}

uintptr_t number(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

void requireFree(Context& context, size_t bytes) {
    size_t used = driver().usedBytes[context.device], all = deviceBytes();
    require(used <= all && bytes <= all - used, "the device has less left", CUDA_ERROR_OUT_OF_MEMORY);
}

}  // namespace

void* allocate(Context* context, size_t bytes) {
    size_t total = totalBytes(bytes);
    if (context != nullptr) {
        requireFree(*context, rounded(bytes));
        driver().usedBytes[context->device] += rounded(bytes);
    }
    unsigned char* begin = takeBlock(blockBytes(total));
    require(begin != nullptr, "the machine has less left", CUDA_ERROR_OUT_OF_MEMORY);
    std::memset(begin, BORDER_BYTE, BORDER);
    std::memset(begin + BORDER, FRESH_BYTE, bytes);
    std::memset(begin + BORDER + bytes, BORDER_BYTE, total - BORDER - bytes);
    driver().memory[number(begin + BORDER)] = {bytes, context, &usableContext()};
    countAlive(context == nullptr ? "pinned" : "memory", 1);
    return begin + BORDER;
}

void release(void* pointer) {
    auto found = driver().memory.find(number(pointer));
    Allocation allocation = found->second;
    driver().memory.erase(found);
    if (allocation.context != nullptr) driver().usedBytes[allocation.context->device] -= rounded(allocation.bytes);
    countAlive(allocation.context == nullptr ? "pinned" : "memory", -1);
    giveBlock(static_cast<unsigned char*>(pointer) - BORDER, blockBytes(totalBytes(allocation.bytes)));
}

void take(Context& context, size_t bytes) {
    requireFree(context, bytes);
    driver().usedBytes[context.device] += bytes;
    context.libraryBytes += bytes;
}

void takeMemory(Context& context, size_t bytes) {
    Lock lock(driver().mutex);
    take(context, bytes);
}

// Nothing, where the context has been destroyed meanwhile.
void giveMemory(Context& context, size_t bytes) {
    Lock lock(driver().mutex);
    size_t given = std::min(bytes, context.libraryBytes);
    context.libraryBytes -= given;
    driver().usedBytes[context.device] -= given;
}

void loadCode(Context& context, const char* code, size_t bytes) {
    Lock lock(driver().mutex);
    if (context.code.count(code) > 0) return;
    take(context, bytes);
    context.code.insert(code);
}

const Allocation* find(Range range) {
    auto& memory = driver().memory;
    auto next = memory.upper_bound(number(range.begin));
    if (next == memory.begin()) return nullptr;
    auto& [address, allocation] = *std::prev(next);
    size_t offset = number(range.begin) - address;
    bool inside = offset < allocation.bytes && range.bytes <= allocation.bytes - offset;
    return inside || (range.bytes == 0 && offset == allocation.bytes) ? &allocation : nullptr;
}

void checkRange(Context& context, Range range) {
    const Allocation* allocation = find(range);
    if (allocation == nullptr) {
        throw Failure{CUDA_ERROR_INVALID_VALUE, std::to_string(range.bytes) + " bytes at " +
                                                    std::to_string(number(range.begin)) + " are not all allocated"};
    }
    Context* owner = allocation->context;
    if (owner != nullptr && owner != &context && context.peers.count(owner) == 0) {
        throw Failure{CUDA_ERROR_INVALID_VALUE, "memory of device " + std::to_string(owner->device) +
                                                    " used on device " + std::to_string(context.device)};
    }
}

void requireRange(Context& context, Range range) {
    Lock lock(driver().mutex);
    checkRange(context, range);
}

void checkBorders(Context& context) {
    for (auto& [address, allocation] : driver().memory) {
        if (allocation.context == &context && !hasIntactBorders(address, allocation)) {
            context.error = CUDA_ERROR_ILLEGAL_ADDRESS;
            throw Failure{CUDA_ERROR_ILLEGAL_ADDRESS,
                          "something wrote beside an allocation of " + std::to_string(allocation.bytes) + " bytes"};
        }
    }
}

namespace {

bool isPinned(const void* pointer) {
    const Allocation* allocation = find({pointer, 0});
    return allocation != nullptr && allocation->context == nullptr;
}

void requireDeviceMemory(const void* pointer) {
    const Allocation* allocation = find({pointer, 0});
    require(allocation != nullptr && allocation->context != nullptr, "not device memory");
}

// Host memory that is not pinned is anything; pinned memory must be long enough.
void requireHost(Context& context, const void* pointer, size_t bytes) {
    require(pointer != nullptr || bytes == 0, "host pointer is null");
    const Allocation* allocation = find({pointer, 0});
    if (allocation == nullptr) return;
    require(allocation->context == nullptr, "device memory given as host memory");
    checkRange(context, {pointer, bytes});
}

Work copying(const char* name, Context& context, void* to, const void* from, size_t bytes) {
    return {name, &context, {}, [=] { std::memcpy(to, from, bytes); }, {}, nullptr};
}

// Pageable memory is read before the call returns.
Work uploading(const char* name, Context& context, void* to, const void* from, size_t bytes, bool pinned) {
    Work work = copying(name, context, to, from, bytes);
    work.touched = {{to, bytes}};
    if (pinned) {
        work.touched.push_back({from, bytes});
        return work;
    }
    auto* begin = static_cast<const unsigned char*>(from);
    auto staged = std::make_shared<std::vector<unsigned char>>(begin, begin + bytes);
    work.run = [=] { std::memcpy(to, staged->data(), bytes); };
    return work;
}

void upload(const char* name, Lock& lock, Stream& stream, void* to, const void* from, size_t bytes, bool wait) {
    Context& context = usableContext();
    requireDeviceMemory(to);
    checkRange(context, {to, bytes});
    requireHost(context, from, bytes);
    bool pinned = isPinned(from);
    require(pinned || !stream.capture, "pageable memory in a capture", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    issue(stream, uploading(name, context, to, from, bytes, pinned));
    if (wait && pinned) runUntil(lock, stream.end());
    throwError(context);
}

void download(const char* name, Lock& lock, Stream& stream, void* to, const void* from, size_t bytes, bool wait) {
    Context& context = usableContext();
    requireDeviceMemory(from);
    checkRange(context, {from, bytes});
    requireHost(context, to, bytes);
    bool pinned = isPinned(to);
    require(pinned || !stream.capture, "pageable memory in a capture", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    Work work = copying(name, context, to, from, bytes);
    work.touched = {{from, bytes}};
    if (pinned) work.touched.push_back({to, bytes});
    issue(stream, std::move(work));
    if (wait || !pinned) runUntil(lock, stream.end());
    throwError(context);
}

void copyInside(const char* name, Stream& stream, void* to, const void* from, size_t bytes) {
    Context& context = usableContext();
    requireDeviceMemory(to);
    requireDeviceMemory(from);
    checkRange(context, {to, bytes});
    checkRange(context, {from, bytes});
    Work work = copying(name, context, to, from, bytes);
    work.touched = {{to, bytes}, {from, bytes}};
    issue(stream, std::move(work));
}

void copyBetween(const char* name, Stream& stream, void* to, Context* toContext, const void* from,
                 Context* fromContext, size_t bytes) {
    require(toContext != nullptr && fromContext != nullptr, "a context is null", CUDA_ERROR_INVALID_CONTEXT);
    const Allocation* target = find({to, bytes});
    const Allocation* source = find({from, bytes});
    require(target != nullptr && target->context == toContext, "the target is not in its context's memory");
    require(source != nullptr && source->context == fromContext, "the source is not in its context's memory");
    Work work = copying(name, usableContext(), to, from, bytes);
    work.run = [=, context = &usableContext()] {
        bool direct;
        {
            Lock lock(driver().mutex);
            bool allocated = find({to, bytes}) != nullptr && find({from, bytes}) != nullptr;
            require(allocated, "the memory was freed", CUDA_ERROR_ILLEGAL_ADDRESS);
            direct = context->peers.count(toContext) + context->peers.count(fromContext) > 0;
        }
        if (direct && setting("TRAINYARD_FAKE_PEERS", 1) == PEERS_THAT_DROP) return;
        std::memcpy(to, from, bytes);
    };
    issue(stream, std::move(work));
}

template <class Value>
void fill(const char* name, Stream& stream, void* to, Value value, size_t count) {
    Context& context = usableContext();
    requireDeviceMemory(to);
    checkRange(context, {to, count * sizeof(Value)});
    auto* begin = static_cast<Value*>(to);
    issue(stream, {name, &context, {{to, count * sizeof(Value)}}, [=] { std::fill(begin, begin + count, value); },
                   {}, nullptr});
}

Stream& legacy() { return streamOf(usableContext(), nullptr); }

}  // namespace

}  // namespace trainyard

using namespace trainyard;

EXPORTED int cuMemGetInfo_v2(size_t* free, size_t* total) {
    return call("cuMemGetInfo_v2", CONTEXT, [&](Lock&) {
        *total = deviceBytes();
        *free = *total - driver().usedBytes[usableContext().device];
    });
}

EXPORTED int cuMemAlloc_v2(void** pointer, size_t bytes) {
    return call("cuMemAlloc_v2", CONTEXT | UNCAPTURED, [&](Lock&) {
        require(pointer != nullptr && bytes > 0, "0 bytes");
        *pointer = allocate(&usableContext(), bytes);
    });
}

EXPORTED int cuMemFree_v2(void* pointer) {
    return call("cuMemFree_v2", CONTEXT | UNCAPTURED, [&](Lock& lock) {
        if (pointer == nullptr) return;
        auto found = driver().memory.find(reinterpret_cast<uintptr_t>(pointer));
        require(found != driver().memory.end() && found->second.context != nullptr, "no allocation begins here");
        Context& owner = *found->second.context;
        settle(lock, owner);  // its device's work comes first, and no other device's
        checkBorders(owner);
        release(pointer);
        throwError(usableContext());
    });
}

EXPORTED int cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
    return call("cuMemHostAlloc", CONTEXT | UNCAPTURED, [&](Lock&) {
        require(pointer != nullptr && bytes > 0 && flags < 8, "0 bytes, or unknown flags");
        *pointer = allocate(nullptr, bytes);
    });
}

EXPORTED int cuMemFreeHost(void* pointer) {
    return call("cuMemFreeHost", CONTEXT | UNCAPTURED, [&](Lock& lock) {
        auto found = driver().memory.find(reinterpret_cast<uintptr_t>(pointer));
        require(found != driver().memory.end() && found->second.context == nullptr, "no pinned memory begins here");
        settle(lock, *found->second.owner);
        release(pointer);
        throwError(usableContext());
    });
}

EXPORTED int cuMemcpyHtoD_v2(void* to, const void* from, size_t bytes) {
    return call("cuMemcpyHtoD_v2", CONTEXT | UNCAPTURED | ISSUES,
                [&](Lock& lock) { upload("cuMemcpyHtoD", lock, legacy(), to, from, bytes, true); });
}

EXPORTED int cuMemcpyDtoH_v2(void* to, const void* from, size_t bytes) {
    return call("cuMemcpyDtoH_v2", CONTEXT | UNCAPTURED | ISSUES,
                [&](Lock& lock) { download("cuMemcpyDtoH", lock, legacy(), to, from, bytes, true); });
}

EXPORTED int cuMemcpyDtoD_v2(void* to, const void* from, size_t bytes) {
    return call("cuMemcpyDtoD_v2", CONTEXT | UNCAPTURED | ISSUES,
                [&](Lock&) { copyInside("cuMemcpyDtoD", legacy(), to, from, bytes); });
}

EXPORTED int cuMemcpyHtoDAsync_v2(void* to, const void* from, size_t bytes, Stream* stream) {
    return call("cuMemcpyHtoDAsync_v2", CONTEXT | ISSUES, [&](Lock& lock) {
        upload("cuMemcpyHtoDAsync", lock, streamOf(usableContext(), stream), to, from, bytes, false);
    });
}

EXPORTED int cuMemcpyDtoHAsync_v2(void* to, const void* from, size_t bytes, Stream* stream) {
    return call("cuMemcpyDtoHAsync_v2", CONTEXT | ISSUES, [&](Lock& lock) {
        download("cuMemcpyDtoHAsync", lock, streamOf(usableContext(), stream), to, from, bytes, false);
    });
}

EXPORTED int cuMemcpyDtoDAsync_v2(void* to, const void* from, size_t bytes, Stream* stream) {
    return call("cuMemcpyDtoDAsync_v2", CONTEXT | ISSUES, [&](Lock&) {
        copyInside("cuMemcpyDtoDAsync", streamOf(usableContext(), stream), to, from, bytes);
    });
}

EXPORTED int cuMemcpyPeer(void* to, Context* toContext, const void* from, Context* fromContext, size_t bytes) {
    return call("cuMemcpyPeer", CONTEXT | UNCAPTURED | ISSUES,
                [&](Lock&) { copyBetween("cuMemcpyPeer", legacy(), to, toContext, from, fromContext, bytes); });
}

EXPORTED int cuMemcpyPeerAsync(void* to, Context* toContext, const void* from, Context* fromContext, size_t bytes,
                               Stream* stream) {
    return call("cuMemcpyPeerAsync", CONTEXT | ISSUES, [&](Lock&) {
        Stream& where = streamOf(usableContext(), stream);
        copyBetween("cuMemcpyPeerAsync", where, to, toContext, from, fromContext, bytes);
    });
}

EXPORTED int cuMemsetD8_v2(void* to, unsigned char value, size_t count) {
    return call("cuMemsetD8_v2", CONTEXT | UNCAPTURED | ISSUES,
                [&](Lock&) { fill("cuMemsetD8", legacy(), to, value, count); });
}

EXPORTED int cuMemsetD32_v2(void* to, unsigned value, size_t count) {
    return call("cuMemsetD32_v2", CONTEXT | UNCAPTURED | ISSUES,
                [&](Lock&) { fill("cuMemsetD32", legacy(), to, value, count); });
}

EXPORTED int cuMemsetD8Async(void* to, unsigned char value, size_t count, Stream* stream) {
    return call("cuMemsetD8Async", CONTEXT | ISSUES,
                [&](Lock&) { fill("cuMemsetD8Async", streamOf(usableContext(), stream), to, value, count); });
}

EXPORTED int cuMemsetD32Async(void* to, unsigned value, size_t count, Stream* stream) {
    return call("cuMemsetD32Async", CONTEXT | ISSUES,
                [&](Lock&) { fill("cuMemsetD32Async", streamOf(usableContext(), stream), to, value, count); });
}
