// fake NVML: what GPUs of fake libcuda are doing. It knows all of the machine's, as NVML does: those that
// CUDA_VISIBLE_DEVICES hides, too.
#include <atomic>
#include <cstring>
#include <string>

#include "../driver/fake.h"
#include "../driver/state.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using namespace trainyard;

// As in nvml.h
enum NvmlReturn : int {
    NVML_SUCCESS = 0,
    NVML_ERROR_UNINITIALIZED = 1,
    NVML_ERROR_INVALID_ARGUMENT = 2,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_NOT_FOUND = 6,
};

struct Device {
    int number;  // of the machine's
    std::string bus;
};

struct Utilization {
    unsigned gpu, memory;
};

struct Memory {
    unsigned long long total, free, used;
};

std::atomic<bool> initialised{false};

std::vector<Device>& devices() {
    static auto& devices = *new std::vector<Device>;
    if (devices.empty()) {
        for (int i = 0; i < setting("TRAINYARD_FAKE_DEVICES", 2); i++) {
            char bus[32];
            std::snprintf(bus, sizeof bus, "0000:%02x:00.0", i + 1);
            devices.push_back({i, bus});
        }
    }
    return devices;
}

template <class Body>
int call(const char* name, Body body) {
    if (int status = called(name); status != 0) return status;
    if (!initialised) {
        report(name, NVML_ERROR_UNINITIALIZED, "nvmlInit was not called");
        return NVML_ERROR_UNINITIALIZED;
    }
    try {
        body();
        return NVML_SUCCESS;
    } catch (const Failure& failure) {
        report(name, failure.status, failure.why);
        return failure.status;
    }
}

const Device& require(const Device* device) {
    for (const Device& known : devices()) {
        if (&known == device) return known;
    }
    throw Failure{NVML_ERROR_INVALID_ARGUMENT, "no such device"};
}

// The value of an environment variable; -1 if this GPU does not report it.
unsigned long long reading(const char* variable, long long otherwise) {
    long long value = setting(variable, otherwise);
    if (value < 0) throw Failure{NVML_ERROR_NOT_SUPPORTED, std::string(variable) + " says so"};
    return static_cast<unsigned long long>(value);
}

}  // namespace

EXPORTED int nvmlInit_v2() {
    if (int status = called("nvmlInit_v2"); status != 0) return status;
    initialised = true;
    return NVML_SUCCESS;
}

EXPORTED const char* nvmlErrorString(int status) {
    switch (status) {
        case NVML_SUCCESS: return "Success";
        case NVML_ERROR_UNINITIALIZED: return "Uninitialized";
        case NVML_ERROR_INVALID_ARGUMENT: return "Invalid Argument";
        case NVML_ERROR_NOT_SUPPORTED: return "Not Supported";
        case NVML_ERROR_NOT_FOUND: return "Not Found";
        case 15: return "GPU is lost";
        default: return "Unknown Error";
    }
}

EXPORTED int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, const Device** device) {
    return call("nvmlDeviceGetHandleByPciBusId_v2", [&] {
        for (const Device& known : devices()) {
            if (known.bus == bus) {
                *device = &known;
                return;
            }
        }
        throw Failure{NVML_ERROR_NOT_FOUND, std::string("no GPU at ") + bus};
    });
}

EXPORTED int nvmlDeviceGetUtilizationRates(const Device* device, Utilization* rates) {
    return call("nvmlDeviceGetUtilizationRates", [&] {
        require(device);
        *rates = {static_cast<unsigned>(reading("TRAINYARD_FAKE_UTILIZATION", 93)), 41};
    });
}

EXPORTED int nvmlDeviceGetMemoryInfo(const Device* device, Memory* memory) {
    return call("nvmlDeviceGetMemoryInfo", [&] {
        int number = require(device).number;
        unsigned long long used = 0;
        for (size_t i = 0; i < driver().visible.size(); i++) {
            if (driver().visible[i] == number) used = driver().usedBytes[i];
        }
        *memory = {deviceBytes(), deviceBytes() - used, used};
    });
}

EXPORTED int nvmlDeviceGetPowerUsage(const Device* device, unsigned* milliwatts) {
    return call("nvmlDeviceGetPowerUsage", [&] {
        require(device);
        *milliwatts = static_cast<unsigned>(reading("TRAINYARD_FAKE_MILLIWATTS", 251500));
    });
}

EXPORTED int nvmlDeviceGetTotalEnergyConsumption(const Device* device, unsigned long long* millijoules) {
    return call("nvmlDeviceGetTotalEnergyConsumption", [&] {
        require(device);
        *millijoules = reading("TRAINYARD_FAKE_MILLIJOULES", 5000000000000);
    });
}

EXPORTED int nvmlDeviceGetTemperature(const Device* device, int sensor, unsigned* celsius) {
    return call("nvmlDeviceGetTemperature", [&] {
        require(device);
        if (sensor != 0) throw Failure{NVML_ERROR_INVALID_ARGUMENT, "0 is the GPU's own sensor"};
        *celsius = static_cast<unsigned>(reading("TRAINYARD_FAKE_CELSIUS", 61));
    });
}
