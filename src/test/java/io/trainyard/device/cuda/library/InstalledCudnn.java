package io.trainyard.device.cuda.library;

import io.trainyard.device.cuda.FakeCudaLibraries;
import java.nio.file.Path;
import java.util.Map;

/// NVIDIA's cuDNN without its driver, for which the fake stands in.
public final class InstalledCudnn {
    private InstalledCudnn() {}

    /// @param folder of Python's packages of NVIDIA
    public static void load(String folder) {
        System.load(FakeCudaLibraries.driver().toString());
        for (String library : new String[] {
            "cu13/lib/libcublasLt.so.13",
            "cu13/lib/libcublas.so.13",
            "cu13/lib/libnvrtc-builtins.so.13.0",
            "cu13/lib/libnvrtc.so.13",
            "cudnn/lib/libcudnn.so.9"
        }) {
            System.load(Path.of(folder, library).toAbsolutePath().toString());
        }
        JCudaNatives.load(Map.of(
                "libcudnn.so.8", "libcudnn.so.9",
                "libcublas.so.12", "libcublas.so.13",
                "libnvrtc.so.12", "libnvrtc.so.13"));
    }
}
