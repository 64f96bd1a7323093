// fake NVRTC compiles nothing: it looks at the options as NVRTC does and keeps the source. cuModuleLoadData of
// fake libcuda (driver/module.cpp) finds the host's version of its kernels.
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "../driver/fake.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using namespace trainyard;

// name, number, as in NVRTC 13's nvrtc.h
#define NVRTC_RESULTS(R)                    \
    R(NVRTC_SUCCESS, 0)                     \
    R(NVRTC_ERROR_OUT_OF_MEMORY, 1)         \
    R(NVRTC_ERROR_PROGRAM_CREATION_FAILURE, 2) \
    R(NVRTC_ERROR_INVALID_INPUT, 3)         \
    R(NVRTC_ERROR_INVALID_PROGRAM, 4)       \
    R(NVRTC_ERROR_INVALID_OPTION, 5)        \
    R(NVRTC_ERROR_COMPILATION, 6)           \
    R(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)

enum NvrtcResult : int {
#define R(name, number) name = number,
    NVRTC_RESULTS(R)
#undef R
};

struct Program {
    std::string source, log, image, ptx;
};

Handles<Program>& programs() {
    static auto& programs = *new Handles<Program>("nvrtcProgram");
    return programs;
}

template <class Body>
int call(const char* name, Body body) {
    if (int status = called(name); status != 0) return status;
    try {
        body();
        return NVRTC_SUCCESS;
    } catch (const Failure& failure) {
        report(name, failure.status, failure.why);
        return failure.status;
    }
}

Program& require(Program* program) {
    if (!programs().has(program)) throw Failure{NVRTC_ERROR_INVALID_PROGRAM, "no such program"};
    return *program;
}

// Those of NVRTC 13.0 up to TRAINYARD_FAKE_NVRTC_NEWEST.
std::set<int> architectures() {
    std::set<int> all;
    for (int each : {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121}) {
        if (each <= setting("TRAINYARD_FAKE_NVRTC_NEWEST", 121)) all.insert(each);
    }
    return all;
}

struct Options {
    std::string architecture = "sm_75";
    bool bfloat16 = false;

    // Options of NVRTC without an effect here.
    static bool isHarmless(const std::string& option) {
        for (const char* known : {"--fmad=", "-fmad=", "--std=", "-std=", "--use_fast_math", "-lineinfo", "--generate-line-info",
                                  "-D", "--define-macro=", "-default-device", "--device-as-default-execution-space",
                                  "--extra-device-vectorization", "--ftz=", "--prec-div=", "--prec-sqrt="}) {
            if (option.compare(0, std::strlen(known), known) == 0) return true;
        }
        return false;
    }

    void take(const std::string& option) {
        size_t equals = option.find('=');
        std::string key = option.substr(0, equals), value = equals == std::string::npos ? "" : option.substr(equals + 1);
        if (key == "-arch" || key == "--gpu-architecture") {
            size_t line = value.find('_');
            bool known = line != std::string::npos && architectures().count(std::atoi(value.c_str() + line + 1)) == 1;
            if (!known) throw Failure{NVRTC_ERROR_INVALID_OPTION, "nvrtc: error: invalid value for --gpu-architecture (-arch)"};
            architecture = value;
        } else if (option == "-DTRAINYARD_BF16" || option == "-DTRAINYARD_BF16=1" || option == "--define-macro=TRAINYARD_BF16") {
            bfloat16 = true;
        } else if (!isHarmless(option)) {
            throw Failure{NVRTC_ERROR_INVALID_OPTION, "nvrtc: error: unrecognized option " + option + " found"};
        }
    }
};

void copy(char* to, const std::string& from) { std::memcpy(to, from.c_str(), from.size() + 1); }

}  // namespace

EXPORTED const char* nvrtcGetErrorString(int result) {
    switch (result) {
#define R(name, number) case number: return #name;
        NVRTC_RESULTS(R)
#undef R
        default: return "NVRTC_ERROR unknown";
    }
}

EXPORTED int nvrtcVersion(int* major, int* minor) {
    return call("nvrtcVersion", [&] {
        *major = 13;
        *minor = 0;
    });
}

EXPORTED int nvrtcGetNumSupportedArchs(int* count) {
    return call("nvrtcGetNumSupportedArchs", [&] { *count = static_cast<int>(architectures().size()); });
}

EXPORTED int nvrtcGetSupportedArchs(int* numbers) {
    return call("nvrtcGetSupportedArchs", [&] {
        for (int each : architectures()) *numbers++ = each;
    });
}

EXPORTED int nvrtcCreateProgram(Program** program, const char* source, const char*, int headers, const char* const*,
                                const char* const*) {
    return call("nvrtcCreateProgram", [&] {
        if (program == nullptr || source == nullptr) throw Failure{NVRTC_ERROR_INVALID_INPUT, "no source"};
        if (headers != 0) throw Failure{NVRTC_ERROR_INVALID_INPUT, "the fake takes no headers"};
        *program = programs().add(new Program{source, "", "", ""});
    });
}

EXPORTED int nvrtcDestroyProgram(Program** program) {
    return call("nvrtcDestroyProgram", [&] {
        if (program == nullptr) throw Failure{NVRTC_ERROR_INVALID_PROGRAM, "null"};
        require(*program);
        programs().remove(*program);
        delete *program;
        *program = nullptr;
    });
}

EXPORTED int nvrtcCompileProgram(Program* handle, int count, const char* const* options) {
    if (int status = called("nvrtcCompileProgram"); status != 0) {
        if (programs().has(handle)) handle->log = "kernels.cu(1): error: injected\n\n1 error detected in the compilation of \"kernels.cu\".\n";
        return status;
    }
    if (!programs().has(handle)) return NVRTC_ERROR_INVALID_PROGRAM;
    try {
        Options parsed;
        for (int i = 0; i < count; i++) parsed.take(options[i]);
        bool machine = parsed.architecture.compare(0, 3, "sm_") == 0;  // compute_90: no machine code
        std::string precision = parsed.bfloat16 ? " bfloat16\n" : " float\n";
        std::string image = "trainyard-fake " + parsed.architecture + precision + handle->source;
        handle->image = machine ? image : "";
        handle->ptx = image;
        handle->log.clear();
        return NVRTC_SUCCESS;
    } catch (const Failure& failure) {
        handle->log = failure.why + "\n";
        report("nvrtcCompileProgram", failure.status, failure.why);
        return failure.status;
    }
}

EXPORTED int nvrtcGetProgramLogSize(Program* program, size_t* bytes) {
    return call("nvrtcGetProgramLogSize", [&] { *bytes = require(program).log.size() + 1; });
}

EXPORTED int nvrtcGetProgramLog(Program* program, char* log) {
    return call("nvrtcGetProgramLog", [&] { copy(log, require(program).log); });
}

EXPORTED int nvrtcGetPTXSize(Program* program, size_t* bytes) {
    return call("nvrtcGetPTXSize", [&] { *bytes = require(program).ptx.size() + 1; });
}

EXPORTED int nvrtcGetPTX(Program* program, char* ptx) {
    return call("nvrtcGetPTX", [&] { copy(ptx, require(program).ptx); });
}

EXPORTED int nvrtcGetCUBINSize(Program* program, size_t* bytes) {
    return call("nvrtcGetCUBINSize", [&] {
        const std::string& image = require(program).image;
        *bytes = image.empty() ? 0 : image.size() + 1;
    });
}

EXPORTED int nvrtcGetCUBIN(Program* program, char* image) {
    return call("nvrtcGetCUBIN", [&] {
        if (require(program).image.empty()) throw Failure{NVRTC_ERROR_INVALID_PROGRAM, "not compiled to machine code"};
        copy(image, program->image);
    });
}
