// Streams and events: issued work runs in order at the first wait for it.
#include "state.h"
#include "traffic.h"

namespace trainyard {

Stream& streamOf(Context& context, Stream* handle) {
    if (handle == nullptr) return *context.legacy;
    auto found = context.streams.find(handle);
    if (found == context.streams.end()) {
        throw Failure{CUDA_ERROR_INVALID_HANDLE,
                      "no stream of device " + std::to_string(context.device) + ", whose context is current"};
    }
    return *found->second;
}

namespace {

// The stream wherever it belongs: waiting is allowed across devices.
Stream& anyStream(Stream* handle) {
    for (auto& context : driver().contexts) {
        auto found = context->streams.find(handle);
        if (found != context->streams.end()) return *found->second;
    }
    return streamOf(usableContext(), handle);
}

Event& anyEvent(Event* handle) {
    for (auto& context : driver().contexts) {
        auto found = context->events.find(handle);
        if (found != context->events.end()) return *found->second;
    }
    throw Failure{CUDA_ERROR_INVALID_HANDLE, "no such event"};
}

bool isLegacy(Stream& stream) { return stream.context.legacy.get() == &stream; }

// The default stream and the blocking streams of its context wait for each other.
void orderByDefaultStream(Stream& stream, Work& work) {
    Context& context = stream.context;
    if (!isLegacy(stream)) {
        if (stream.blocking) work.after.push_back(context.legacy->end());
        return;
    }
    for (auto& [handle, other] : context.streams) {
        if (!other->blocking) continue;
        if (other->capture) spoil(*other->capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "a blocking stream captures");
        work.after.push_back(other->end());
    }
}

void record(Stream& stream, Work work) {
    Capture& capture = *stream.capture;
    require(!capture.invalid, "the capture is spoilt", CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    std::map<Stream*, size_t>& reached = capture.reached[&stream];
    Node node{std::move(work), {}, 1};
    for (auto& [branch, last] : reached) {
        node.after.push_back(last);
        node.depth = std::max(node.depth, capture.graph.nodes[last - 1].depth + 1);
    }
    capture.graph.nodes.push_back(std::move(node));
    capture.last[&stream] = capture.graph.nodes.size();
    reached[&stream] = capture.graph.nodes.size();
}

bool isReached(const Position& position) { return position.stream->completed >= position.number; }

// The mark that the first work of the queue waits for; null if it is ready.
const Position* obstacle(const Stream& stream) {
    for (const Position& position : stream.queue.front().after) {
        if (!isReached(position)) return &position;
    }
    return nullptr;
}

// Runs the first work of the queue, which is ready. The lock is free meanwhile.
void runFirst(Lock& lock, Stream& stream) {
    std::shared_ptr<Stream> alive = stream.shared_from_this();
    stream.busy = true;
    Work work = std::move(stream.queue.front());
    stream.queue.pop_front();
    Context& context = *work.context;
    try {
        if (context.error == CUDA_SUCCESS && work.run) {
            for (const Range& range : work.touched) checkRange(context, range);
            lock.unlock();
            work.run();
            lock.lock();
        }
    } catch (const Failure& failure) {
        if (!lock.owns_lock()) lock.lock();
        bool badRange = failure.status == CUDA_ERROR_INVALID_VALUE;
        context.error = badRange ? static_cast<int>(CUDA_ERROR_ILLEGAL_ADDRESS) : failure.status;
        report(work.name, context.error, failure.why);
    }
    if (work.mark) work.mark->time = std::chrono::steady_clock::now() + std::chrono::microseconds(context.spentMicros);
    stream.completed++;
    stream.busy = false;
    driver().changed.notify_all();
}

void join(Stream& stream, const std::map<Stream*, size_t>& reached) {
    for (auto& [branch, node] : reached) {
        size_t& known = stream.capture->reached[&stream][branch];
        known = std::max(known, node);
    }
}

void waitCaptured(Stream& stream, const Mark& mark) {
    std::shared_ptr<Capture> capture = mark.capture.lock();
    require(capture != nullptr, "the capture in which it was recorded has ended", CUDA_ERROR_CAPTURED_EVENT);
    require(!isLegacy(stream), "the default stream cannot capture", CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    if (stream.capture && stream.capture != capture) {
        capture->invalid = true;
        spoil(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_MERGE, "two captures meet");
    }
    stream.capture = capture;
    join(stream, mark.reached);
}

Mark& requireRecorded(Event& event) {
    require(event.mark != nullptr, "the event was never recorded", CUDA_ERROR_INVALID_HANDLE);
    require(event.mark->position.has_value(), "the event was recorded in a capture", CUDA_ERROR_CAPTURED_EVENT);
    return *event.mark;
}

}  // namespace

void issue(Stream& stream, Work work) {
    if (int status = std::exchange(driver().failNextWork, 0); status != 0) {
        work.run = [status] { throw Failure{status, "injected"}; };
        work.touched.clear();
    }
    if (stream.capture) {
        record(stream, std::move(work));
        return;
    }
    orderByDefaultStream(stream, work);
    stream.queue.push_back(std::move(work));
    stream.issued++;
}

void runUntil(Lock& lock, const Position& position) {
    Stream& stream = *position.stream;
    while (stream.completed < position.number) {
        if (stream.busy) {
            driver().changed.wait(lock);
        } else if (const Position* first = obstacle(stream)) {
            Position other = *first;
            runUntil(lock, other);
        } else {
            runFirst(lock, stream);
        }
    }
}

bool advance(Lock& lock, const Position& position) {
    Stream& stream = *position.stream;
    if (stream.completed >= position.number) return true;
    if (stream.busy) return false;
    if (const Position* first = obstacle(stream)) {
        Position other = *first;
        advance(lock, other);
    } else {
        runFirst(lock, stream);
    }
    return stream.completed >= position.number;
}

void settle(Lock& lock, Context& context) {
    std::vector<Position> ends{context.legacy->end()};
    for (auto& [handle, stream] : context.streams) ends.push_back(stream->end());
    for (const Position& end : ends) runUntil(lock, end);
}

void finish(Lock& lock, Context& context) {
    settle(lock, context);
    if (context.active && context.error == CUDA_SUCCESS) checkBorders(context);
    throwError(context);
}

void spend(Context& context, unsigned long long micros) { context.spentMicros += micros; }

void requireStream(Context& context, Stream* stream) {
    Lock lock(driver().mutex);
    streamOf(context, stream);
}

void enqueue(Context& context, Stream* handle, const char* name, std::vector<Range> touched,
             std::function<void()> work) {
    Lock lock(driver().mutex);
    Stream& stream = streamOf(context, handle);
    if (counting() != 0) work = nullptr;  // counting needs no results
    issue(stream, {name, &context, std::move(touched), std::move(work), {}, nullptr});
}

}  // namespace trainyard

using namespace trainyard;

EXPORTED int cuStreamCreate(Stream** stream, unsigned flags) {
    return call("cuStreamCreate", CONTEXT, [&](Lock&) {
        require(stream != nullptr && flags <= 1, "flags are 0 (blocking) or 1 (non-blocking)");
        Context& context = usableContext();
        auto created = std::make_shared<Stream>(context, flags == 0);
        context.streams[created.get()] = created;
        countAlive("stream", 1);
        *stream = created.get();
    });
}

EXPORTED int cuStreamDestroy_v2(Stream* stream) {
    return call("cuStreamDestroy_v2", CONTEXT, [&](Lock& lock) {
        Context& context = usableContext();
        Stream& destroyed = streamOf(context, stream);
        require(stream != nullptr && !destroyed.capture, "the default stream, or one that captures",
                CUDA_ERROR_INVALID_HANDLE);
        runUntil(lock, destroyed.end());
        context.streams.erase(stream);
        countAlive("stream", -1);
    });
}

EXPORTED int cuStreamSynchronize(Stream* handle) {
    return call("cuStreamSynchronize", CONTEXT, [&](Lock& lock) {
        Stream& stream = anyStream(handle);
        if (stream.capture) spoil(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the stream captures");
        if (isLegacy(stream)) {
            for (auto& [other, blocking] : stream.context.streams) {
                if (!blocking->blocking || !blocking->capture) continue;
                spoil(*blocking->capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "a blocking stream captures");
            }
        }
        runUntil(lock, stream.end());
        throwError(stream.context);
        checkBorders(stream.context);
    });
}

EXPORTED int cuStreamWaitEvent(Stream* handle, Event* handleOfEvent, unsigned flags) {
    return call("cuStreamWaitEvent", CONTEXT | ISSUES, [&](Lock&) {
        require(flags == 0, "flags must be 0");
        Stream& stream = anyStream(handle);
        Event& event = anyEvent(handleOfEvent);
        if (event.mark == nullptr) return;
        if (!event.mark->position) {
            waitCaptured(stream, *event.mark);
        } else if (stream.capture) {
            spoil(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "the event was recorded outside the capture");
        } else {
            issue(stream, {"cuStreamWaitEvent", &stream.context, {}, {}, {*event.mark->position}, nullptr});
        }
    });
}

EXPORTED int cuLaunchHostFunc(Stream* handle, void (*function)(void*), void* data) {
    return call("cuLaunchHostFunc", CONTEXT | ISSUES, [&](Lock&) {
        Context& context = usableContext();
        require(function != nullptr, "no function");
        issue(streamOf(context, handle), {"cuLaunchHostFunc", &context, {}, [=] { function(data); }, {}, nullptr});
    });
}

EXPORTED int cuEventCreate(Event** event, unsigned flags) {
    return call("cuEventCreate", CONTEXT, [&](Lock&) {
        require(event != nullptr && flags < 8, "unknown flags");
        Context& context = usableContext();
        std::unique_ptr<Event> created(new Event{context, (flags & 2) == 0, nullptr});  // CU_EVENT_DISABLE_TIMING
        *event = created.get();
        context.events[created.get()] = std::move(created);
        countAlive("event", 1);
    });
}

EXPORTED int cuEventDestroy_v2(Event* event) {
    return call("cuEventDestroy_v2", CONTEXT, [&](Lock&) {
        anyEvent(event).context.events.erase(event);
        countAlive("event", -1);
    });
}

EXPORTED int cuEventRecord(Event* handle, Stream* handleOfStream) {
    return call("cuEventRecord", CONTEXT | ISSUES, [&](Lock&) {
        Event& event = anyEvent(handle);
        Stream& stream = anyStream(handleOfStream);
        require(&event.context == &stream.context, "event and stream are of different devices",
                CUDA_ERROR_INVALID_HANDLE);
        event.mark = std::make_shared<Mark>();
        if (stream.capture) {
            require(!stream.capture->invalid, "the capture is spoilt", CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
            event.mark->capture = stream.capture;
            event.mark->reached = stream.capture->reached[&stream];
        } else {
            issue(stream, {"cuEventRecord", &stream.context, {}, {}, {}, event.mark});
            event.mark->position = stream.end();
        }
    });
}

EXPORTED int cuEventSynchronize(Event* handle) {
    return call("cuEventSynchronize", CONTEXT, [&](Lock& lock) {
        Event& event = anyEvent(handle);
        if (event.mark == nullptr) return;
        Position position = *requireRecorded(event).position;
        runUntil(lock, position);
        throwError(position.stream->context);
    });
}

EXPORTED int cuEventQuery(Event* handle) {
    return call("cuEventQuery", CONTEXT | UNCAPTURED, [&](Lock& lock) {
        Event& event = anyEvent(handle);
        if (event.mark == nullptr) return;
        Position position = *requireRecorded(event).position;
        bool done = advance(lock, position);
        throwError(position.stream->context);
        require(done, "work is left", CUDA_ERROR_NOT_READY);
    });
}

EXPORTED int cuEventElapsedTime(float* milliseconds, Event* begin, Event* end) {
    return call("cuEventElapsedTime", CONTEXT, [&](Lock&) {
        Event& first = anyEvent(begin);
        Event& last = anyEvent(end);
        require(&first.context == &last.context && first.timed && last.timed, "no two timed events of one device",
                CUDA_ERROR_INVALID_HANDLE);
        Mark& from = requireRecorded(first);
        Mark& to = requireRecorded(last);
        require(isReached(*from.position) && isReached(*to.position), "work is left", CUDA_ERROR_NOT_READY);
        *milliseconds = std::chrono::duration<float, std::milli>(to.time - from.time).count();
    });
}

// CUDA 13's driver exports both versions.
EXPORTED int cuEventElapsedTime_v2(float* milliseconds, Event* begin, Event* end) {
    return cuEventElapsedTime(milliseconds, begin, end);
}
