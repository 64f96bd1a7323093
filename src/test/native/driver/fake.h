// What the fake of cuDNN, cuBLAS and NVRTC use of libcuda's, which holds the state of all of them. The names are
// exported from libcuda.so.1.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "results.h"

namespace trainyard {

struct Context;
struct Stream;

// Thrown inside; at the ABI's edge it becomes a status.
struct Failure {
    int status;
    std::string why;
};

// A stretch of device memory that work reads or writes. `bytes` 0: at least something must be allocated there.
struct Range {
    const void* begin;
    size_t bytes;
    bool scratch = false;  // has no content between two calls
};

// Counts a call of an exported function; the status that it is to fail with (see failures.cpp), or 0.
int called(const char* function);

// Records why a call failed, for trainyard_fake_problem, and on standard error if TRAINYARD_FAKE_LOG is set.
void report(const char* function, int status, const std::string& why);

// The context that is current on this thread and usable; throws the driver's error otherwise.
Context& currentContext();

// Throws unless `stream` is one of `context` (null is every context's default stream).
void requireStream(Context& context, Stream* stream);

// Throws CUDA_ERROR_INVALID_VALUE unless all of `range` is in one allocation that `context` can reach.
void requireRange(Context& context, Range range);

// Issues work to a stream: it runs at the first wait for it, or is recorded while the stream is capturing.
// The ranges are looked at before it runs, too: memory may have been freed by then.
void enqueue(Context& context, Stream* stream, const char* name, std::vector<Range> touched,
             std::function<void()> work);

// Memory that a library takes for itself. Throws CUDA_ERROR_OUT_OF_MEMORY where the device has less left.
void takeMemory(Context& context, size_t bytes);

void giveMemory(Context& context, size_t bytes);

// Code that a library loads into a context when it is used there first, and that stays.
void loadCode(Context& context, const char* code, size_t bytes);

// Throws where the calling thread must not allocate or wait because a stream is capturing.
void requireNoCapture(const char* what);

// The simulated duration of work, used only for the times of events; no thread waits.
void spend(Context& context, unsigned long long micros);

// Counts live objects by kind, for trainyard_fake_alive.
void countAlive(const char* kind, int change);

// An environment variable's number, or `otherwise`.
long long setting(const char* name, long long otherwise);

// What all chance comes from: TRAINYARD_FAKE_SEED.
inline unsigned long long seed() { return static_cast<unsigned long long>(setting("TRAINYARD_FAKE_SEED", 1)); }

// What is alive of one kind; the handles that a caller gives back are checked against it.
template <class Object>
class Handles {
  public:
    explicit Handles(const char* kind) : kind(kind) {}

    Object* add(Object* object) {
        std::lock_guard<std::mutex> lock(mutex);
        alive.insert(object);
        countAlive(kind, 1);
        return object;
    }

    bool has(const Object* object) {
        std::lock_guard<std::mutex> lock(mutex);
        return alive.count(object) > 0;
    }

    void remove(Object* object) {
        std::lock_guard<std::mutex> lock(mutex);
        if (alive.erase(object) > 0) countAlive(kind, -1);
    }

  private:
    const char* kind;
    std::mutex mutex;
    std::unordered_set<const Object*> alive;
};

}  // namespace trainyard
