// The state of the fake driver: devices, contexts, memory, streams, events, graphs, modules.
//
// One lock guards all of it; it is released while work runs. Work that is issued to a stream does not run at once but
// when somebody waits for it, in the waiting thread: a caller that reads before it waits, or that reuses a buffer too
// early, then meets wrong values every time instead of once in a while.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>
#include <vector>

#include "../kernels/kernels.h"
#include "fake.h"

namespace trainyard {

using Lock = std::unique_lock<std::mutex>;

struct Capture;

// Issued work is numbered from 1 in its stream.
struct Position {
    std::shared_ptr<Stream> stream;
    uint64_t number = 0;
};

// A recorded event. A mark outlives its event while a thread waits for it.
struct Mark {
    std::optional<Position> position;  // none: recorded while capturing
    std::weak_ptr<Capture> capture;
    std::map<Stream*, size_t> reached;  // nodes of the capture, by stream, that it stands for
    std::chrono::steady_clock::time_point time;
};

struct Work {
    const char* name;
    Context* context;
    std::vector<Range> touched;
    std::function<void()> run;    // may be empty
    std::vector<Position> after;  // work of other streams that comes first
    std::shared_ptr<Mark> mark;   // gets its time when this is reached
};

struct Node {
    Work work;
    std::vector<size_t> after;  // the nodes that come first, counted from 1; what these come after is left out
    size_t depth;               // how many come one after the other up to this one
};

// Its nodes in the order of the capture, which is one of those that its edges allow.
struct Graph {
    std::vector<Node> nodes;
};

struct Capture {
    Stream* origin;
    std::thread::id owner;
    int mode;
    bool invalid = false;
    Graph graph;
    std::map<Stream*, size_t> last;                         // each stream's last node, counted from 1
    std::map<Stream*, std::map<Stream*, size_t>> reached;  // what each stream comes after
};

struct Stream : std::enable_shared_from_this<Stream> {
    Stream(Context& context, bool blocking) : context(context), blocking(blocking) {}

    Context& context;
    const bool blocking;  // waits for the default stream, and it for this one
    std::deque<Work> queue;
    uint64_t issued = 0;
    uint64_t completed = 0;
    bool busy = false;  // a thread runs the first of the queue
    std::shared_ptr<Capture> capture;

    Position end() { return {shared_from_this(), issued}; }
};

struct Event {
    Context& context;
    bool timed;
    std::shared_ptr<Mark> mark;  // null until recorded
};

struct Module : std::enable_shared_from_this<Module> {
    Module(Context& context, std::string source, int architecture, bool bfloat16)
        : context(context), source(std::move(source)), architecture(architecture), bfloat16(bfloat16) {}

    Context& context;
    const std::string source;
    const int architecture;  // 90 for sm_90
    const bool bfloat16;
    bool loaded = true;
    std::map<std::string, std::unique_ptr<struct Function>> functions;
};

struct Function {
    Module& module;
    const Kernel& kernel;
    std::string failureName;  // "kernel sgd", for injected failures
};

struct Allocation {
    size_t bytes;
    Context* context;  // null: pinned host memory
    Context* owner;    // ends with it
};

struct Context {
    explicit Context(int device) : device(device) {}

    const int device;
    int uses = 0;  // retains of the primary context
    bool active = false;
    int error = CUDA_SUCCESS;  // sticky: it outlives a reset
    std::shared_ptr<Stream> legacy;
    std::unordered_map<Stream*, std::shared_ptr<Stream>> streams;
    std::unordered_map<Event*, std::unique_ptr<Event>> events;
    std::unordered_map<Module*, std::shared_ptr<Module>> modules;
    std::set<Context*> peers;  // contexts with memory that this one can access
    std::atomic<uint64_t> spentMicros{0};
    std::atomic<uint64_t> runs{0};  // of kernels and graphs
    size_t libraryBytes = 0;        // device memory used by libraries
    std::set<std::string> code;     // that libraries have loaded
};

struct Driver {
    std::mutex mutex;
    std::condition_variable changed;  // a stream is no longer busy
    bool initialised = false;
    std::vector<int> visible;  // numbers of the devices, in the caller's order
    std::vector<std::unique_ptr<Context>> contexts;  // the primary one of each visible device
    std::map<uintptr_t, Allocation> memory;          // by address
    std::vector<size_t> usedBytes;                   // by visible device
    std::unordered_map<Graph*, std::unique_ptr<Graph>> graphs;
    std::unordered_map<Graph*, std::shared_ptr<Graph>> executables;
    std::vector<std::shared_ptr<Capture>> captures;
    int failNextWork = 0;  // the status with which the work that is issued next fails
};

// Never destroyed: threads may still be in here when the process ends.
Driver& driver();

size_t deviceBytes();

// ---- helpers of calls

constexpr unsigned ANYTIME = 0;      // before cuInit, too
constexpr unsigned INITIALISED = 1;
constexpr unsigned CONTEXT = 3;      // a current context without a sticky error
constexpr unsigned UNCAPTURED = 4;   // not while this thread captures
constexpr unsigned ISSUES = 8;       // an injected failure that a context does not survive comes when the work runs

// The current context of this thread, under the lock.
Context& usableContext();

// Fails where this thread captures a stream, or any thread does in the global mode, and spoils that capture.
void forbidInCapture(const char* what);

[[noreturn]] void spoil(Capture& capture, int status, const char* why);

void requireDevice(int device);

// An exported function: counts the call, checks what it needs, fails where a failure is injected, and turns a
// Failure of its body into the status.
template <class Body>
int call(const char* name, unsigned needs, Body body) {
    try {
        int injected = called(name);
        Lock lock(driver().mutex);
        if ((needs & INITIALISED) && !driver().initialised) throw Failure{CUDA_ERROR_NOT_INITIALIZED, "no cuInit yet"};
        if ((needs & CONTEXT) == CONTEXT) usableContext();
        if (needs & UNCAPTURED) forbidInCapture(name);
        driver().failNextWork = (needs & ISSUES) && isSticky(injected) ? injected : 0;
        if (injected != driver().failNextWork) {
            if (isSticky(injected) && (needs & CONTEXT) == CONTEXT) usableContext().error = injected;
            throw Failure{injected, "injected"};
        }
        body(lock);
        return CUDA_SUCCESS;
    } catch (const Failure& failure) {
        if (failure.status != CUDA_ERROR_NOT_READY) report(name, failure.status, failure.why);
        return failure.status;
    } catch (const std::bad_alloc&) {
        report(name, CUDA_ERROR_OUT_OF_MEMORY, "the machine has no memory left");
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
}

inline void require(bool condition, const char* what, int status = CUDA_ERROR_INVALID_VALUE) {
    if (!condition) throw Failure{status, what};
}

// ---- memory.cpp

// The allocation with all of the range; null if none has it.
const Allocation* find(Range range);

// As requireRange, under the lock. Pinned memory is in every context's reach.
void checkRange(Context& context, Range range);

void* allocate(Context* context, size_t bytes);

void release(void* pointer);

// As takeMemory, under the lock.
void take(Context& context, size_t bytes);

// Whether a write outside of an allocation of this context has failed it with CUDA_ERROR_ILLEGAL_ADDRESS.
void checkBorders(Context& context);

// ---- stream.cpp

Stream& streamOf(Context& context, Stream* handle);

// Issues work, or records it while the stream captures.
void issue(Stream& stream, Work work);

// Runs due work up to the position.
void runUntil(Lock& lock, const Position& position);

// Runs at most one piece of work; whether the position is reached.
bool advance(Lock& lock, const Position& position);

// Runs all work of a context, and the work of other contexts that it waits for.
void settle(Lock& lock, Context& context);

// As settle; then throws its sticky error, if it has one now.
void finish(Lock& lock, Context& context);

void throwError(Context& context);

}  // namespace trainyard

#define EXPORTED extern "C" __attribute__((visibility("default")))
