package io.trainyard.device.cuda.driver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.CUcontext;
import jcuda.driver.JCudaDriver;

/// The primary context of each GPU, from its first use until the process ends, because creating one takes 0.2 to
/// 0.5 seconds. A lost context is never replaced.
final class PrimaryContexts {
    private static final Map<Integer, CUcontext> RETAINED = new ConcurrentHashMap<>();

    private PrimaryContexts() {}

    static CUcontext of(int number) {
        return RETAINED.computeIfAbsent(number, _ -> {
            CUcontext context = new CUcontext();
            CudaStatus.driver(
                    JCudaDriver.cuDevicePrimaryCtxRetain(context, Gpus.device(number)),
                    "cuDevicePrimaryCtxRetain of cuda:" + number);
            return context;
        });
    }
}
