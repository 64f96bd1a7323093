// cuDNN's graph API, for graphs of a single convolution. Attributes and types are checked as by cuDNN; descriptors that
// others refer to must live as long as those.
//
// The heuristic is as careless as cuDNN's may be: its first engines use tensor cores, which compute floats in TF32, or take
// the batch in another order each time, or spread a value that is not finite to all samples of the batch as Winograd's on an
// H100, or have no plan, or one with a workspace that no memory has.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>

#include "convolution.h"

namespace trainyard::dnn {

namespace {

enum Type {
    CONVOLUTION = 1, ENGINE = 2, CONFIGURATION = 3, HEURISTIC = 4, PLAN = 5, KNOB = 7, KNOB_INFO = 8, OPERATION_FORWARD = 10,
    OPERATION_TO_FILTER = 11, OPERATION_TO_DATA = 12, GRAPH = 15, VARIANT_PACK = 16, TENSOR = 17
};

enum ValueType {
    HANDLE = 0, DATA_TYPE = 1, INT64 = 3, FLOAT = 4, VOID_PTR = 6, MODE = 7, HEURISTIC_MODE = 8, KNOB_TYPE = 9, NOTE = 11,
    DESCRIPTOR = 15, BEHAVIOR = 19
};

enum Note { TENSOR_CORE = 0, NONDETERMINISTIC = 4, WINOGRAD = 5 };

constexpr int CROSS_CORRELATION = 1, FLOAT_DATA = 0, BFLOAT16_DATA = 9, MODE_FALLBACK = 2, MODE_A = 3;
constexpr int TILE = 2;  // a knob
constexpr long NO_PLAN = 7, ABSURD = 9;

// What a type of descriptors has.
struct Attribute {
    int name;
    ValueType type;
    int most;
    bool required = true;
};

std::vector<Attribute> operation(int convolution, int w, int x, int y, int alpha, int beta) {
    return {{convolution, DESCRIPTOR, 1}, {w, DESCRIPTOR, 1}, {x, DESCRIPTOR, 1}, {y, DESCRIPTOR, 1},
            {alpha, FLOAT, 1}, {beta, FLOAT, 1}};
}

const std::map<int, std::vector<Attribute>>& attributes() {
    static const auto& all = *new std::map<int, std::vector<Attribute>>{
        {CONVOLUTION, {{100, DATA_TYPE, 1}, {101, MODE, 1}, {102, INT64, 8}, {103, INT64, 8}, {104, INT64, 8},
                       {105, INT64, 8}, {106, INT64, 1}}},
        {ENGINE, {{1300, DESCRIPTOR, 1}, {1301, INT64, 1}}},
        {CONFIGURATION, {{300, DESCRIPTOR, 1}, {302, DESCRIPTOR, 64, false}}},
        {HEURISTIC, {{200, HEURISTIC_MODE, 1}, {201, DESCRIPTOR, 1}}},
        {PLAN, {{400, HANDLE, 1}, {401, DESCRIPTOR, 1}}},
        {KNOB_INFO, {}},
        {KNOB, {{600, KNOB_TYPE, 1}, {601, INT64, 1}}},
        {OPERATION_FORWARD, operation(702, 703, 704, 705, 700, 701)},
        {OPERATION_TO_DATA, operation(708, 709, 710, 711, 706, 707)},
        {OPERATION_TO_FILTER, operation(714, 715, 716, 717, 712, 713)},
        {GRAPH, {{800, HANDLE, 1}, {801, DESCRIPTOR, 1}}},
        {VARIANT_PACK, {{1000, INT64, 64}, {1001, VOID_PTR, 64}, {1003, VOID_PTR, 1, false}}},
        {TENSOR, {{900, INT64, 1}, {901, DATA_TYPE, 1}, {902, INT64, 8}, {903, INT64, 8}, {906, INT64, 1}}},
    };
    return all;
}

// Of one engine: those of its number, and of its knobs.
struct Engine {
    int number;
    std::vector<int> notes;
    int workspacePerOutput;
    std::map<int, long> knobs;

    bool has(int note) const { return std::find(notes.begin(), notes.end(), note) != notes.end(); }
};

struct Descriptor {
    int type;
    bool finalized = false;
    std::map<int, std::vector<long>> values;

    long one(int name) const { return values.at(name).at(0); }
    Descriptor& referred(int name) const { return *reinterpret_cast<Descriptor*>(one(name)); }
};

Descriptor& created(Descriptor* descriptor) {
    require(descriptor != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "a descriptor is null");
    require(living<Descriptor>().has(descriptor), CUDNN_STATUS_BAD_PARAM, "a descriptor was destroyed or never created");
    return *descriptor;
}

// One that is finalized, as all are to which it refers.
Descriptor& finalized(Descriptor* descriptor) {
    Descriptor& known = created(descriptor);
    require(known.finalized, CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "a descriptor is not finalized");
    for (const Attribute& each : attributes().at(known.type)) {
        if (each.type != DESCRIPTOR || known.values.count(each.name) == 0) continue;
        for (long value : known.values[each.name]) finalized(reinterpret_cast<Descriptor*>(value));
    }
    return known;
}

Descriptor& finalized(Descriptor* descriptor, int type) {
    Descriptor& known = finalized(descriptor);
    require(known.type == type, CUDNN_STATUS_BAD_PARAM, "a descriptor of another type");
    return known;
}

size_t bytesOf(ValueType type) {
    return type == INT64 || type == HANDLE || type == VOID_PTR || type == DESCRIPTOR ? sizeof(long) : sizeof(int);
}

// ---- convolutions

Tensor tensorOf(Descriptor& descriptor) {
    finalized(&descriptor, TENSOR);
    Tensor tensor{descriptor.one(901) == FLOAT_DATA ? Number::FLOAT : Number::BFLOAT16, {}, {}};
    for (int i = 0; i < 4; i++) {
        tensor.size[i] = descriptor.values[902][i];
        tensor.stride[i] = descriptor.values[903][i];
    }
    return tensor;
}

struct Operation {
    Direction direction;
    Tensor x, w, y;
    long idOfX, idOfW, idOfY;
    Shape shape;

    explicit Operation(Descriptor& descriptor) {
        direction = descriptor.type == OPERATION_FORWARD   ? FORWARD
                    : descriptor.type == OPERATION_TO_DATA ? TO_DATA
                                                           : TO_FILTER;
        const auto& all = attributes().at(descriptor.type);
        Descriptor& how = finalized(&descriptor.referred(all[0].name), CONVOLUTION);
        Descriptor &ofW = descriptor.referred(all[1].name), &ofX = descriptor.referred(all[2].name),
                   &ofY = descriptor.referred(all[3].name);
        x = tensorOf(ofX), w = tensorOf(ofW), y = tensorOf(ofY);
        idOfX = ofX.one(906), idOfW = ofW.one(906), idOfY = ofY.one(906);
        float alpha, beta;
        std::memcpy(&alpha, &descriptor.values[all[4].name][0], sizeof alpha);
        std::memcpy(&beta, &descriptor.values[all[5].name][0], sizeof beta);
        require(alpha == 1 && beta == 0, CUDNN_STATUS_NOT_SUPPORTED, "the fake has alpha 1 and beta 0 only");
        require(x.number == w.number && x.number == y.number, CUDNN_STATUS_BAD_PARAM, "different data types");
        require(x.size[1] % w.size[1] == 0, CUDNN_STATUS_BAD_PARAM, "x's channels are not a multiple of w's");
        Convolution c{{}, {}, {}, x.size[1] / w.size[1]};
        require(w.size[0] % c.groups == 0, CUDNN_STATUS_BAD_PARAM, "the kernels are not a multiple of the groups");
        require(y.size[0] == x.size[0] && y.size[1] == w.size[0], CUDNN_STATUS_BAD_PARAM, "y's samples or channels");
        auto allAre = [&](bool last) { return x.mayBe(last) && y.mayBe(last) && w.mayBe(last); };
        require(allAre(false) || allAre(true), CUDNN_STATUS_NOT_SUPPORTED, "different layouts");
        for (int i = 0; i < 2; i++) {
            c.dilation[i] = how.values[102][i], c.stride[i] = how.values[103][i], c.padding[i] = how.values[105][i];
            require(how.values[104][i] == c.padding[i], CUDNN_STATUS_NOT_SUPPORTED, "padding that is not symmetric");
            int room = x.size[2 + i] + 2 * c.padding[i] - c.dilation[i] * (w.size[2 + i] - 1) - 1;
            require(room >= 0 && y.size[2 + i] == room / c.stride[i] + 1, CUDNN_STATUS_BAD_PARAM,
                    "y has not the shape that x, w and the convolution give");
        }
        shape = {x.size[0], x.size[1], x.size[2], x.size[3], w.size[0], w.size[2],
                 w.size[3], y.size[2], y.size[3], c};
    }

    bool isPlain3x3() const {
        return shape.kernelRows == 3 && shape.kernelColumns == 3 && shape.how.stride[0] == 1 &&
               shape.how.stride[1] == 1 && !isDilatedOrGrouped();
    }

    bool isDilatedOrGrouped() const {
        return shape.how.groups > 1 || shape.how.dilation[0] > 1 || shape.how.dilation[1] > 1;
    }
};

Operation operationOf(Descriptor& graph) { return Operation(graph.referred(801)); }

// In the heuristic's order; the fallback has the last one only.
std::vector<Engine> engines(const Operation& operation) {
    static const std::vector<Engine> all[] = {
        {{5, {TENSOR_CORE}, 4, {{TILE, 1}}}, {6, {WINOGRAD}, 16, {}}, {1, {}, 4, {{TILE, NO_PLAN}}},
         {1, {}, 4, {{TILE, ABSURD}}}, {1, {}, 4, {{TILE, 2}, {12, 3}}}, {2, {}, 64, {}}, {0, {}, 0, {}}},
        {{5, {TENSOR_CORE, NONDETERMINISTIC}, 0, {}}, {4, {WINOGRAD}, 16, {}}, {1, {}, 4, {{TILE, 2}}}},
        {{5, {TENSOR_CORE, NONDETERMINISTIC}, 0, {}}, {3, {NONDETERMINISTIC}, 8, {}}, {1, {}, 4, {{TILE, 2}}}},
    };
    std::vector<Engine> found;
    // Whether cuDNN has deterministic gradients in bfloat16 with groups or dilation, its documentation leaves open.
    bool uncertain = operation.direction != FORWARD && operation.x.number == Number::BFLOAT16 &&
                     operation.isDilatedOrGrouped() && setting("TRAINYARD_FAKE_GROUPED_BF16", 1) == 0;
    for (Engine each : all[operation.direction]) {
        if (each.has(WINOGRAD) && (!operation.isPlain3x3() || operation.x.number == Number::BFLOAT16)) continue;
        if (uncertain) each.notes.push_back(NONDETERMINISTIC);
        found.push_back(each);
    }
    return found;
}

Engine engineOf(const Operation& operation, long number, const std::map<int, long>& knobs) {
    for (const Engine& each : engines(operation)) {
        if (each.number == number && each.knobs == knobs) return each;
    }
    throw Failure{CUDNN_STATUS_NOT_SUPPORTED, "no such engine, or not with these knobs"};
}

Engine engineOf(Descriptor& configuration) {
    Descriptor& engine = configuration.referred(300);
    std::map<int, long> knobs;
    for (long knob : configuration.values[302]) {
        Descriptor& known = finalized(reinterpret_cast<Descriptor*>(knob), KNOB);
        knobs[known.one(600)] = known.one(601);
    }
    return engineOf(operationOf(engine.referred(1300)), engine.one(1301), knobs);
}

size_t workspaceBytes(Descriptor& plan) {
    Descriptor& configuration = plan.referred(401);
    Engine engine = engineOf(configuration);
    if (engine.knobs == std::map<int, long>{{TILE, ABSURD}}) return size_t(1) << 63 | 512;
    Shape shape = operationOf(configuration.referred(300).referred(1300)).shape;
    return size_t(engine.workspacePerOutput) * shape.samples * shape.kernels;
}

// What finalizing a descriptor requires besides its attributes.
void validate(Descriptor& d) {
    switch (d.type) {
        case TENSOR: {
            int type = d.one(901);
            require(type == FLOAT_DATA || type == BFLOAT16_DATA, CUDNN_STATUS_NOT_SUPPORTED, "float and bfloat16 only");
            require(d.values[902].size() == 4 && d.values[903].size() == 4, CUDNN_STATUS_BAD_PARAM, "4 dimensions");
            for (long size : d.values[902]) require(size > 0, CUDNN_STATUS_BAD_PARAM, "a size is not positive");
            for (long stride : d.values[903]) require(stride > 0, CUDNN_STATUS_BAD_PARAM, "a stride is not positive");
            break;
        }
        case CONVOLUTION:
            require(d.one(100) == FLOAT_DATA, CUDNN_STATUS_NOT_SUPPORTED, "the fake computes in float only");
            require(d.one(101) == CROSS_CORRELATION, CUDNN_STATUS_NOT_SUPPORTED, "cross-correlation only");
            require(d.one(106) == 2, CUDNN_STATUS_NOT_SUPPORTED, "images only");
            for (int name = 102; name < 106; name++) {
                require(d.values[name].size() == 2, CUDNN_STATUS_BAD_PARAM, "not as many as spatial dimensions");
                for (long value : d.values[name]) {
                    require(value >= (name < 104 ? 1 : 0), CUDNN_STATUS_BAD_PARAM, "a stride, dilation or padding");
                }
            }
            break;
        case OPERATION_FORWARD:
        case OPERATION_TO_FILTER:
        case OPERATION_TO_DATA: Operation{d}; break;
        case GRAPH: requireHandle(reinterpret_cast<Handle*>(d.one(800))); break;
        case HEURISTIC:
            finalized(&d.referred(201), GRAPH);
            require(d.one(200) == MODE_A || d.one(200) == MODE_FALLBACK, CUDNN_STATUS_NOT_SUPPORTED, "another mode");
            break;
        case ENGINE: {
            Operation operation = operationOf(finalized(&d.referred(1300), GRAPH));
            for (const Engine& each : engines(operation)) {
                if (each.number == d.one(1301)) return;
            }
            throw Failure{CUDNN_STATUS_NOT_SUPPORTED, "no such engine"};
        }
        case CONFIGURATION: finalized(&d.referred(300), ENGINE); engineOf(d); break;
        case PLAN:
            requireHandle(reinterpret_cast<Handle*>(d.one(400)));
            finalized(&d.referred(401), CONFIGURATION);
            require(engineOf(d.referred(401)).knobs != std::map<int, long>{{TILE, NO_PLAN}}, CUDNN_STATUS_NOT_SUPPORTED,
                    "this engine has no plan");
            break;
        case VARIANT_PACK:
            require(d.values[1000].size() == d.values[1001].size(), CUDNN_STATUS_BAD_PARAM, "identifiers and pointers");
            break;
    }
}

// ---- reading

// Makes an empty descriptor a finalized one with these values.
void fill(Descriptor* descriptor, int type, const std::map<int, std::vector<long>>& values) {
    Descriptor& known = created(descriptor);
    require(known.type == type, CUDNN_STATUS_BAD_PARAM, "a descriptor of another type");
    known.values = values;
    known.finalized = true;
}

std::vector<Engine> results(Descriptor& heuristic) {
    std::vector<Engine> all = engines(operationOf(heuristic.referred(201)));
    if (heuristic.one(200) == MODE_FALLBACK) all.erase(all.begin(), all.end() - 1);
    return all;
}

// What a configuration of a heuristic holds in place of an engine and knobs that were set.
constexpr int ENGINE_OF_RESULT = -300, KNOBS_OF_RESULT = -302;

size_t fillAll(Descriptor& d, int name, size_t most, Descriptor** into) {
    if (d.type == HEURISTIC && name == 202) {
        std::vector<Engine> all = results(d);
        if (most == 0) return all.size();
        size_t count = std::min(most, all.size());
        for (size_t i = 0; i < count; i++) {
            std::vector<long> knobs;
            for (auto [type, value] : all[i].knobs) knobs.insert(knobs.end(), {type, value});
            fill(into[i], CONFIGURATION, {{ENGINE_OF_RESULT, {d.one(201), all[i].number}}, {KNOBS_OF_RESULT, knobs}});
        }
        return count;
    }
    if (d.type == ENGINE && name == 1302) {  // tiles without a plan
        if (d.one(1301) != 1 || most == 0) return 0;
        fill(into[0], KNOB_INFO, {{1200, {TILE}}, {1201, {ABSURD}}, {1202, {NO_PLAN}}, {1203, {1}}});
        return 1;
    }
    require(d.type == CONFIGURATION && d.values.count(ENGINE_OF_RESULT) > 0 && (name == 300 || name == 302),
            CUDNN_STATUS_NOT_SUPPORTED, "the fake reads the results of heuristics only");
    if (name == 300) {
        require(most == 1, CUDNN_STATUS_BAD_PARAM, "one engine");
        auto& engine = d.values[ENGINE_OF_RESULT];
        fill(into[0], ENGINE, {{1300, {engine[0]}}, {1301, {engine[1]}}});
        return 1;
    }
    auto& knobs = d.values[KNOBS_OF_RESULT];
    size_t count = std::min(most, knobs.size() / 2);
    for (size_t i = 0; i < count; i++) fill(into[i], KNOB, {{600, {knobs[2 * i]}}, {601, {knobs[2 * i + 1]}}});
    return count;
}

std::vector<long> valuesOf(Descriptor& d, int name, int type) {
    auto is = [&](int of, int called, int typed) { return d.type == of && name == called && type == typed; };
    if (is(ENGINE, 1301, INT64) || is(KNOB, 600, KNOB_TYPE) || is(KNOB, 601, INT64)) return {d.one(name)};
    if (is(KNOB_INFO, 1200, KNOB_TYPE)) return {d.one(name)};
    if (d.type == KNOB_INFO && name >= 1201 && name <= 1203 && type == INT64) return {d.one(name)};
    if (is(GRAPH, 802, INT64)) return {7};
    if (is(ENGINE, 1305, BEHAVIOR)) return {};
    if (is(PLAN, 402, INT64)) return {static_cast<long>(workspaceBytes(d))};
    require(is(ENGINE, 1303, NOTE), CUDNN_STATUS_BAD_PARAM, "no such attribute, or of another type");
    for (const Engine& each : engines(operationOf(d.referred(1300)))) {
        if (each.number == d.one(1301)) return {each.notes.begin(), each.notes.end()};
    }
    return {};
}

// ---- execution

constexpr const char* CODE[] = {"cuDNN forward", "cuDNN to data", "cuDNN to filter"};
constexpr size_t ALIGNMENT = 16;  // which kernels for tensor cores take for granted

Range requireAligned(Handle& handle, const void* pointer, size_t bytes, const char* what) {
    bool aligned = reinterpret_cast<uintptr_t>(pointer) % ALIGNMENT == 0;
    require(aligned, CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, what);
    return requireMemory(handle, pointer, bytes, what);
}

// The time that events report: the heuristic's order is right, except for the engine chosen as the fastest.
unsigned long long emulatedMicros(const Operation& operation, const Engine& engine) {
    if (setting("TRAINYARD_FAKE_FASTEST_ENGINE", -1) == engine.number) return 1;
    unsigned long long place = 1;
    for (const Engine& each : engines(operation)) {
        if (each.number == engine.number) break;
        place++;
    }
    return 1000000 * place;
}

void execute(Handle& handle, Descriptor& plan, Descriptor& operands) {
    Descriptor& configuration = plan.referred(401);
    Operation operation = operationOf(configuration.referred(300).referred(1300));
    Engine engine = engineOf(configuration);
    require(reinterpret_cast<Handle*>(plan.one(400))->context == handle.context, CUDNN_STATUS_BAD_PARAM,
            "the plan is for another device");
    std::map<long, void*> pointers;
    for (size_t i = 0; i < operands.values[1000].size(); i++) {
        pointers[operands.values[1000][i]] = reinterpret_cast<void*>(operands.values[1001][i]);
    }
    void *x = pointers[operation.idOfX], *w = pointers[operation.idOfW], *y = pointers[operation.idOfY];
    std::vector<Range> touched{requireAligned(handle, x, operation.x.bytes(), "x"),
                               requireAligned(handle, w, operation.w.bytes(), "w"),
                               requireAligned(handle, y, operation.y.bytes(), "y")};
    size_t scratch = workspaceBytes(plan);
    void* workspace = nullptr;
    if (scratch > 0) {
        require(!operands.values[1003].empty(), CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "the workspace");
        workspace = reinterpret_cast<void*>(operands.one(1003));
        touched.push_back(requireAligned(handle, workspace, scratch, "the workspace"));
        touched.back().scratch = true;
    }
    Direction direction = operation.direction;
    loadCode(*handle.context, CODE[direction], CODE_BYTES);
    static std::atomic<int> calls{0};
    int parts = direction == TO_FILTER ? operation.shape.samples : operation.shape.groupKernels();
    int first = engine.has(NONDETERMINISTIC) ? ++calls % parts : 0;
    bool tf32 = operation.x.number == Number::FLOAT && engine.has(TENSOR_CORE);
    Context* context = handle.context;
    enqueue(*context, handle.stream, "cudnnBackendExecute", touched, [=] {
        called((std::string(CODE[direction]) + ", engine " + std::to_string(engine.number)).c_str());
        spend(*context, emulatedMicros(operation, engine));
        if (scratch > 0) std::memset(workspace, 0xFF, scratch);
        auto in = [&](const Tensor& tensor, const void* from) { return unpack(tensor, from, tf32); };
        if (direction == FORWARD) {
            auto result = forward(operation.shape, in(operation.x, x), in(operation.w, w));
            bool finite = std::all_of(result.begin(), result.end(), [](auto value) { return std::isfinite(value); });
            if (engine.has(WINOGRAD) && !finite) std::fill(result.begin(), result.end(), NAN);
            pack(operation.y, y, result, 1, 0);
        } else if (direction == TO_DATA) {
            pack(operation.x, x, toData(operation.shape, in(operation.w, w), in(operation.y, y), first), 1, 0);
        } else {
            pack(operation.w, w, toFilter(operation.shape, in(operation.x, x), in(operation.y, y), first), 1, 0);
        }
    });
}

}  // namespace

}  // namespace trainyard::dnn

using namespace trainyard;
using namespace trainyard::dnn;

EXPORTED int cudnnBackendCreateDescriptor(int type, Descriptor** descriptor) {
    return call("cudnnBackendCreateDescriptor", [&] {
        require(descriptor != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "nowhere to put it");
        require(attributes().count(type) > 0, CUDNN_STATUS_NOT_SUPPORTED, "a type that the fake has not");
        *descriptor = living<Descriptor>().add(new Descriptor{type, false, {}});
    });
}

EXPORTED int cudnnBackendDestroyDescriptor(Descriptor* descriptor) {
    return call("cudnnBackendDestroyDescriptor", [&] {
        living<Descriptor>().remove(&created(descriptor));
        delete descriptor;
    });
}

EXPORTED int cudnnBackendSetAttribute(Descriptor* descriptor, int name, int type, long count, const void* values) {
    return call("cudnnBackendSetAttribute", [&] {
        Descriptor& known = created(descriptor);
        require(!known.finalized, CUDNN_STATUS_NOT_INITIALIZED, "it is finalized");
        require(values != nullptr && count > 0, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no values");
        for (const Attribute& each : attributes().at(known.type)) {
            if (each.name != name) continue;
            require(each.type == type, CUDNN_STATUS_BAD_PARAM, "an attribute of another type");
            require(count <= each.most, CUDNN_STATUS_BAD_PARAM, "too many values");
            std::vector<long> copied(count);
            for (long i = 0; i < count; i++) {
                std::memcpy(&copied[i], static_cast<const char*>(values) + i * bytesOf(each.type), bytesOf(each.type));
                if (type == DESCRIPTOR) finalized(reinterpret_cast<Descriptor*>(copied[i]));
            }
            known.values[name] = copied;
            return;
        }
        throw Failure{CUDNN_STATUS_BAD_PARAM, "no such attribute"};
    });
}

EXPORTED int cudnnBackendFinalize(Descriptor* descriptor) {
    return call("cudnnBackendFinalize", [&] {
        Descriptor& known = created(descriptor);
        require(!known.finalized, CUDNN_STATUS_BAD_PARAM, "finalized before");
        for (const Attribute& each : attributes().at(known.type)) {
            require(!each.required || known.values.count(each.name) > 0, CUDNN_STATUS_BAD_PARAM, "an attribute is missing");
        }
        validate(known);
        known.finalized = true;
    });
}

EXPORTED int cudnnBackendGetAttribute(Descriptor* descriptor, int name, int type, long most, long* count, void* values) {
    return call("cudnnBackendGetAttribute", [&] {
        Descriptor& known = finalized(descriptor);
        require(count != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "the count");
        if (type == DESCRIPTOR) {
            *count = fillAll(known, name, most, static_cast<Descriptor**>(values));
            return;
        }
        std::vector<long> all = valuesOf(known, name, type);
        *count = std::min<long>(most, all.size());
        size_t bytes = bytesOf(static_cast<ValueType>(type));
        for (long i = 0; i < *count; i++) std::memcpy(static_cast<char*>(values) + i * bytes, &all[i], bytes);
    });
}

EXPORTED int cudnnBackendExecute(Handle* handle, Descriptor* plan, Descriptor* pack) {
    return call("cudnnBackendExecute", [&] {
        execute(requireHandle(handle), finalized(plan, PLAN), finalized(pack, VARIANT_PACK));
    });
}
