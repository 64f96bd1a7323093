// Failures on demand, and queries for tests.
//
// trainyard_fake_fail and TRAINYARD_FAKE_FAIL name a function without its version (cuMemAlloc), or "kernel" and a
// kernel's name, which counts its runs. A status that a context does not survive (launch failed, illegal address, ...)
// comes, from calls that issue work, when the work runs, as it does on a GPU.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "fake.h"
#include "state.h"

namespace trainyard {

namespace {

struct Planned {
    std::string function;
    long remaining;  // calls until it fails, that one included; 0: every call fails
    int status;
};

struct Registry {
    std::mutex mutex;
    std::vector<Planned> planned;
    std::map<std::string, long> calls;
    std::map<std::string, long> alive;
    std::string problem;

    Registry() {
        const char* given = std::getenv("TRAINYARD_FAKE_FAIL");  // function:nth:status,function:nth:status
        std::stringstream entries(given == nullptr ? "" : given);
        for (std::string entry; std::getline(entries, entry, ',');) {
            size_t status = entry.rfind(':');
            size_t nth = status == std::string::npos ? status : entry.rfind(':', status - 1);
            if (nth == std::string::npos) continue;
            planned.push_back({entry.substr(0, nth), std::atol(entry.c_str() + nth + 1),
                               std::atoi(entry.c_str() + status + 1)});
        }
    }
};

Registry& registry() {
    static Registry& registry = *new Registry;
    return registry;
}

// cuMemAlloc_v2 -> cuMemAlloc
std::string unversioned(const char* function) {
    std::string name = function;
    size_t end = name.size();
    if (end > 3 && name[end - 3] == '_' && name[end - 2] == 'v' && std::isdigit(name[end - 1])) name.resize(end - 3);
    return name;
}

}  // namespace

int called(const char* function) {
    std::string name = unversioned(function);
    Registry& all = registry();
    std::lock_guard<std::mutex> lock(all.mutex);
    all.calls[name]++;
    for (auto each = all.planned.begin(); each != all.planned.end(); ++each) {
        if (each->function != name) continue;
        if (each->remaining == 0) return each->status;
        if (--each->remaining == 0) {
            int status = each->status;
            all.planned.erase(each);
            return status;
        }
    }
    return 0;
}

void report(const char* function, int status, const std::string& why) {
    Registry& all = registry();
    std::lock_guard<std::mutex> lock(all.mutex);
    all.problem = std::string(function) + " (" + std::to_string(status) + "): " + why + " [seed " +
                  std::to_string(seed()) + "]";
    static const bool log = std::getenv("TRAINYARD_FAKE_LOG") != nullptr;
    if (log) std::fprintf(stderr, "fake CUDA: %s\n", all.problem.c_str());
}

void countAlive(const char* kind, int change) {
    Registry& all = registry();
    std::lock_guard<std::mutex> lock(all.mutex);
    all.alive[kind] += change;
}

long long setting(const char* name, long long otherwise) {
    const char* given = std::getenv(name);
    return given == nullptr || *given == 0 ? otherwise : std::atoll(given);
}

}  // namespace trainyard

using namespace trainyard;

// The nth call of the function from now on fails with the status; with nth 0 every call does. Status 0 takes back all
// that is planned for the function.
EXPORTED void trainyard_fake_fail(const char* function, int nth, int status) {
    Registry& all = registry();
    std::lock_guard<std::mutex> lock(all.mutex);
    std::string name = unversioned(function);
    if (status != 0) {
        all.planned.push_back({name, nth, status});
        return;
    }
    for (auto each = all.planned.begin(); each != all.planned.end();) {
        each = each->function == name ? all.planned.erase(each) : each + 1;
    }
}

// How often a function has been called, or "kernel <name>" has run.
EXPORTED long trainyard_fake_calls(const char* function) {
    Registry& all = registry();
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.calls.find(unversioned(function));
    return found == all.calls.end() ? 0 : found->second;
}

// How many there are of: memory, pinned, context, stream, event, graph, executable, module, nvrtcProgram,
// cudnnHandle, cudnnDescriptor, cublasHandle.
EXPORTED long trainyard_fake_alive(const char* kind) {
    Registry& all = registry();
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.alive.find(kind);
    return found == all.alive.end() ? 0 : found->second;
}

EXPORTED long trainyard_fake_seed() { return static_cast<long>(seed()); }

// Writes the reason of the last failure into `text`. Real libraries report less.
EXPORTED void trainyard_fake_problem(char* text, size_t bytes) {
    Registry& all = registry();
    std::lock_guard<std::mutex> lock(all.mutex);
    std::snprintf(text, bytes, "%s", all.problem.c_str());
}
