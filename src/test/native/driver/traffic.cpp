// Counts the bytes that each node of a graph moves. Kernels are compiled a second time for it, with calls at each access
// to memory that g++ puts in for ThreadSanitizer (-fsanitize=thread); those functions are here, and note which bytes of
// device memory are read and which are written.
#include "traffic.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "state.h"

namespace trainyard {

namespace {

constexpr size_t WORD_BITS = 64;

// A bit for each byte of an allocation.
class Bytes {
  public:
    explicit Bytes(size_t count) : words(count / WORD_BITS + 1), low(words.size()) {}

    // size: at most 64
    void mark(size_t offset, size_t size) {
        size_t word = offset / WORD_BITS, shift = offset % WORD_BITS;
        uint64_t bits = size == WORD_BITS ? ~uint64_t(0) : (uint64_t(1) << size) - 1;
        words[word] |= bits << shift;
        low = std::min(low, word);
        high = std::max(high, word + 1);
        if (shift + size > WORD_BITS) {
            words[word + 1] |= bits >> (WORD_BITS - shift);
            high = word + 2;
        }
    }

    // How many were marked; none is from now on.
    size_t take() {
        size_t count = 0;
        for (size_t i = low; i < high; i++) {
            count += static_cast<size_t>(__builtin_popcountll(words[i]));
            words[i] = 0;
        }
        low = words.size();
        high = 0;
        return count;
    }

  private:
    std::vector<uint64_t> words;
    size_t low, high = 0;  // bounds of the marked ones
};

struct Notes {
    uintptr_t begin, end;
    Bytes read, written;
};

struct Counted {
    const char* name;
    size_t bytes, depth;
};

std::mutex countedMutex;
std::vector<Counted> counted;

thread_local std::vector<Notes> notes;  // of the allocations that the node at hand was given
thread_local bool noting = false;

void note(const void* pointer, size_t size, Bytes Notes::*kind) {
    if (!noting) return;
    auto address = reinterpret_cast<uintptr_t>(pointer);
    for (Notes& each : notes) {
        if (address >= each.begin && address < each.end) (each.*kind).mark(address - each.begin, size);
    }
}

void noteRange(const void* pointer, size_t size, Bytes Notes::*kind) {
    auto* begin = static_cast<const char*>(pointer);
    for (size_t done = 0; done < size; done += WORD_BITS) note(begin + done, std::min(WORD_BITS, size - done), kind);
}

// Notes for each allocation that the ranges lie in; those of the last node are kept where they fit.
void prepare(const std::vector<Range>& touched) {
    Lock lock(driver().mutex);
    for (const Range& range : touched) {
        auto address = reinterpret_cast<uintptr_t>(range.begin);
        bool known = std::any_of(notes.begin(), notes.end(),
                                 [&](const Notes& each) { return address >= each.begin && address < each.end; });
        auto next = driver().memory.upper_bound(address);
        if (known || next == driver().memory.begin()) continue;
        auto& [begin, allocation] = *std::prev(next);
        notes.push_back({begin, begin + allocation.bytes, Bytes(allocation.bytes), Bytes(allocation.bytes)});
    }
}

}  // namespace

int counting() { return static_cast<int>(setting("TRAINYARD_FAKE_COUNT", 0)); }

void beginTraffic() {
    std::lock_guard<std::mutex> lock(countedMutex);
    counted.clear();
    notes.clear();
}

Traffic::Traffic(const Work& work, size_t depth) : name(work.name), depth(depth) {
    for (const Range& range : work.touched) bytes += range.scratch ? 0 : range.bytes;
    prepare(work.touched);
    noting = true;
}

Traffic::~Traffic() {
    noting = false;
    for (Notes& each : notes) bytes += each.read.take() + each.written.take();
    std::lock_guard<std::mutex> lock(countedMutex);
    counted.push_back({name, bytes, depth});
}

}  // namespace trainyard

using namespace trainyard;

// The nodes of the graph that was launched last, a line of each: its name, its bytes, its depth.
EXPORTED void trainyard_fake_traffic(char* text, size_t bytes) {
    std::string all;
    std::lock_guard<std::mutex> lock(countedMutex);
    for (const Counted& each : counted) {
        all += std::string(each.name) + " " + std::to_string(each.bytes) + " " + std::to_string(each.depth) + "\n";
    }
    std::snprintf(text, bytes, "%s", all.c_str());
}

#define ACCESSES(bytes)                                                                                       \
    extern "C" void __tsan_read##bytes(void* at) { note(at, bytes, &Notes::read); }                           \
    extern "C" void __tsan_write##bytes(void* at) { note(at, bytes, &Notes::written); }                       \
    extern "C" void __tsan_unaligned_read##bytes(void* at) { note(at, bytes, &Notes::read); }                 \
    extern "C" void __tsan_unaligned_write##bytes(void* at) { note(at, bytes, &Notes::written); }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

extern "C" void __tsan_read_range(void* at, size_t size) { noteRange(at, size, &Notes::read); }
extern "C" void __tsan_write_range(void* at, size_t size) { noteRange(at, size, &Notes::written); }
extern "C" void __tsan_init() {}
