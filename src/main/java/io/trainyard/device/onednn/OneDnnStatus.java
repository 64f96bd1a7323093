package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.dnnl_invalid_arguments;
import static org.bytedeco.dnnl.global.dnnl.dnnl_out_of_memory;
import static org.bytedeco.dnnl.global.dnnl.dnnl_runtime_error;
import static org.bytedeco.dnnl.global.dnnl.dnnl_success;
import static org.bytedeco.dnnl.global.dnnl.dnnl_unimplemented;

import io.trainyard.device.DeviceException;

final class OneDnnStatus {
    private OneDnnStatus() {}

    /// @param what for the message, after "oneDNN could not"
    /// @throws DeviceException unless `code` is success
    static void check(int code, String what) {
        if (code != dnnl_success) {
            throw new DeviceException("oneDNN could not %s: %s (status %d)".formatted(what, meaning(code), code));
        }
    }

    private static String meaning(int code) {
        if (code == dnnl_out_of_memory) {
            return "out of memory; choose a smaller batchSize or network";
        }
        if (code == dnnl_unimplemented) {
            return "this processor has no implementation of it; use the device \"reference\"";
        }
        if (code == dnnl_invalid_arguments) {
            return "it takes other shapes or layouts";
        }
        if (code == dnnl_runtime_error) {
            return "it failed while running";
        }
        return "see dnnl_status_t in oneDNN's documentation";
    }
}
