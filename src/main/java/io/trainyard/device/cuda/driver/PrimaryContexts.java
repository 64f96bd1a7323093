package io.trainyard.device.cuda.driver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.CUcontext;
import jcuda.driver.JCudaDriver;

/// Each GPU's primary context, from its first use until the process ends: to make one takes a fifth to half a
/// second, and sessions come and go. One that is lost stays lost.
final class PrimaryContexts {
    private static final Map<Integer, CUcontext> RETAINED = new ConcurrentHashMap<>();

    private PrimaryContexts() {}

    /// @param number of the GPU
    static CUcontext of(int number) {
        return RETAINED.computeIfAbsent(number, _ -> {
            CUcontext context = new CUcontext();
            Status.driver(
                    JCudaDriver.cuDevicePrimaryCtxRetain(context, Gpus.device(number)),
                    "cuDevicePrimaryCtxRetain of cuda:" + number);
            return context;
        });
    }
}
