// Stream capture and graphs. While a stream captures, nothing that is issued to it runs.
#include <algorithm>

#include "state.h"
#include "traffic.h"

namespace trainyard {

namespace {

constexpr int MODE_GLOBAL = 0, MODE_RELAXED = 2;  // CUstreamCaptureMode

thread_local int interaction = MODE_GLOBAL;

// Takes all its streams out of the capture.
std::shared_ptr<Capture> endCapture(Stream& stream) {
    std::shared_ptr<Capture> capture = stream.capture;
    for (auto& context : driver().contexts) {
        for (auto& [handle, each] : context->streams) {
            if (each->capture == capture) each->capture = nullptr;
        }
    }
    auto& all = driver().captures;
    all.erase(std::remove(all.begin(), all.end(), capture), all.end());
    return capture;
}

void requireJoined(Capture& capture) {
    auto& reached = capture.reached[capture.origin];
    for (auto& [branch, node] : capture.last) {
        require(reached[branch] == node, "a branch of the capture was not joined",
                CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    }
}

void runNode(const Node& node) {
    const Work& work = node.work;
    {
        Lock lock(driver().mutex);
        throwError(*work.context);
        for (const Range& range : work.touched) checkRange(*work.context, range);
    }
    std::optional<Traffic> traffic;
    if (counting() == KERNELS_RUN) traffic.emplace(work, node.depth);
    if (work.run) work.run();
}

// Work of a graph that is launched: each node once those before it have run, and which of several first is chance, as
// where the capture forked and an event is missing.
void runNodes(const Graph& graph, Chance chance) {
    beginTraffic();
    size_t count = graph.nodes.size();
    std::vector<size_t> missing(count);
    std::vector<std::vector<size_t>> next(count);
    std::vector<size_t> ready;
    for (size_t i = 0; i < count; i++) {
        missing[i] = graph.nodes[i].after.size();
        for (size_t before : graph.nodes[i].after) next[before - 1].push_back(i);
        if (missing[i] == 0) ready.push_back(i);
    }
    while (!ready.empty()) {
        std::swap(ready[chance.below(ready.size())], ready.back());
        size_t node = ready.back();
        ready.pop_back();
        runNode(graph.nodes[node]);
        for (size_t i : next[node]) {
            if (--missing[i] == 0) ready.push_back(i);
        }
    }
}

}  // namespace

void spoil(Capture& capture, int status, const char* why) {
    capture.invalid = true;
    throw Failure{status, why};
}

void forbidInCapture(const char* what) {
    if (interaction == MODE_RELAXED) return;
    for (auto& capture : driver().captures) {
        bool own = capture->owner == std::this_thread::get_id() && capture->mode != MODE_RELAXED;
        bool others = interaction == MODE_GLOBAL && capture->mode == MODE_GLOBAL;
        if (own || others) spoil(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, what);
    }
}

void requireNoCapture(const char* what) {
    Lock lock(driver().mutex);
    forbidInCapture(what);
}

}  // namespace trainyard

using namespace trainyard;

EXPORTED int cuStreamBeginCapture_v2(Stream* handle, int mode) {
    return call("cuStreamBeginCapture_v2", CONTEXT, [&](Lock&) {
        require(mode >= MODE_GLOBAL && mode <= MODE_RELAXED, "unknown mode");
        require(handle != nullptr, "the default stream cannot capture", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        Stream& stream = streamOf(usableContext(), handle);
        require(!stream.capture, "it captures already", CUDA_ERROR_ILLEGAL_STATE);
        stream.capture = std::make_shared<Capture>();
        stream.capture->origin = &stream;
        stream.capture->owner = std::this_thread::get_id();
        stream.capture->mode = mode;
        driver().captures.push_back(stream.capture);
    });
}

EXPORTED int cuStreamEndCapture(Stream* handle, Graph** graph) {
    return call("cuStreamEndCapture", CONTEXT, [&](Lock&) {
        require(graph != nullptr, "nowhere to put the graph");
        *graph = nullptr;
        Stream& stream = streamOf(usableContext(), handle);
        require(stream.capture != nullptr, "it does not capture", CUDA_ERROR_ILLEGAL_STATE);
        require(stream.capture->mode == MODE_RELAXED || stream.capture->owner == std::this_thread::get_id(),
                "another thread began the capture", CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
        require(stream.capture->origin == &stream, "the capture began in another stream",
                CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
        std::shared_ptr<Capture> capture = endCapture(stream);
        require(!capture->invalid, "a call before spoilt the capture", CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        requireJoined(*capture);
        auto created = std::make_unique<Graph>(std::move(capture->graph));
        *graph = created.get();
        driver().graphs[created.get()] = std::move(created);
        countAlive("graph", 1);
    });
}

EXPORTED int cuGraphInstantiateWithFlags(Graph** executable, Graph* graph, unsigned long long) {
    return call("cuGraphInstantiateWithFlags", CONTEXT, [&](Lock&) {
        require(driver().graphs.count(graph) == 1, "no such graph");
        auto created = std::make_shared<Graph>(*graph);
        driver().executables[created.get()] = created;
        countAlive("executable", 1);
        *executable = created.get();
    });
}

EXPORTED int cuGraphLaunch(Graph* executable, Stream* handle) {
    return call("cuGraphLaunch", CONTEXT | ISSUES, [&](Lock&) {
        auto found = driver().executables.find(executable);
        require(found != driver().executables.end(), "no such executable graph");
        Context& context = usableContext();
        std::shared_ptr<Graph> kept = found->second;  // it may be destroyed before it runs
        auto run = [=, &context] { runNodes(*kept, nextChance(context)); };
        issue(streamOf(context, handle), {"cuGraphLaunch", &context, {}, run, {}, nullptr});
    });
}

EXPORTED int cuGraphGetNodes(Graph* graph, void** nodes, size_t* count) {
    return call("cuGraphGetNodes", CONTEXT, [&](Lock&) {
        require(driver().graphs.count(graph) == 1, "no such graph");
        require(nodes == nullptr, "the fake only counts nodes", CUDA_ERROR_NOT_SUPPORTED);
        *count = graph->nodes.size();
    });
}

EXPORTED int cuGraphDestroy(Graph* graph) {
    return call("cuGraphDestroy", INITIALISED, [&](Lock&) {
        require(driver().graphs.erase(graph) == 1, "no such graph");
        countAlive("graph", -1);
    });
}

EXPORTED int cuGraphExecDestroy(Graph* executable) {
    return call("cuGraphExecDestroy", INITIALISED, [&](Lock&) {
        require(driver().executables.erase(executable) == 1, "no such executable graph");
        countAlive("executable", -1);
    });
}
