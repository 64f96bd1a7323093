package io.trainyard.device.cuda.driver;

import io.trainyard.device.DeviceException;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;

/// The GPUs of this machine, those that CUDA_VISIBLE_DEVICES leaves.
public final class Gpus {
    private Gpus() {}

    /// How many. JCuda's libraries must be loaded.
    public static int count() {
        Status.driver(JCudaDriver.cuInit(0), "cuInit");
        int[] count = new int[1];
        Status.driver(JCudaDriver.cuDeviceGetCount(count), "cuDeviceGetCount");
        return count[0];
    }

    /// @throws DeviceException if there is none of that number
    static CUdevice device(int number) {
        int count = count();
        if (number >= count) {
            throw new DeviceException(
                    "there is no device cuda:%d here; there %s%s. Look at nvidia-smi and CUDA_VISIBLE_DEVICES"
                            .formatted(
                                    number,
                                    count == 1 ? "is 1, " : "are " + count + ", ",
                                    count == 1 ? "cuda:0" : "cuda:0 to cuda:" + (count - 1)));
        }
        CUdevice device = new CUdevice();
        Status.driver(JCudaDriver.cuDeviceGet(device, number), "cuDeviceGet");
        return device;
    }
}
