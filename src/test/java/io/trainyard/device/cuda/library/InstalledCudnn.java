package io.trainyard.device.cuda.library;

import java.nio.file.Path;
import java.util.Map;

/// NVIDIA's cuDNN without a driver or a GPU, which is enough to make plans for a described device.
public final class InstalledCudnn {
    private InstalledCudnn() {}

    /// @param driver a stand-in, to which JCuda is linked
    public static void load(Path driver, Path cudnn, Path cuda) {
        System.load(driver.toString());
        for (String name : new String[] {"libcublasLt.so.13", "libcublas.so.13", "libnvrtc-builtins.so.13.0", "libnvrtc.so.13"}) {
            System.load(cuda.resolve(name).toString());
        }
        System.load(cudnn.resolve("libcudnn.so.9").toString());
        JCudaNatives.load(Map.of(
                "libcudnn.so.8", "libcudnn.so.9", "libcublas.so.12", "libcublas.so.13", "libnvrtc.so.12", "libnvrtc.so.13"));
    }
}
