package io.trainyard.device.cuda.driver;

import io.trainyard.device.DeviceException;
import java.nio.charset.StandardCharsets;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.JCudaDriver;

/// The GPUs of this machine that are visible under CUDA_VISIBLE_DEVICES, and their attributes.
public final class Gpus {
    private static final int MAX_NAME = 256;
    private static final int MAX_BUS_ID = 32;

    private Gpus() {}

    public static int count() {
        CudaStatus.driver(JCudaDriver.cuInit(0), "cuInit");
        int[] count = new int[1];
        CudaStatus.driver(JCudaDriver.cuDeviceGetCount(count), "cuDeviceGetCount");
        return count[0];
    }

    public static String name(int number) {
        byte[] name = new byte[MAX_NAME];
        CudaStatus.driver(JCudaDriver.cuDeviceGetName(name, name.length, device(number)), "cuDeviceGetName");
        return new String(name, StandardCharsets.UTF_8).trim();
    }

    /// The PCI bus id, as used by NVIDIA's other libraries: `0000:3b:00.0`.
    public static String busId(int number) {
        String[] id = new String[1];
        CudaStatus.driver(JCudaDriver.cuDeviceGetPCIBusId(id, MAX_BUS_ID, device(number)), "cuDeviceGetPCIBusId");
        return id[0];
    }

    /// `90` for compute capability 9.0.
    public static int architecture(int number) {
        return 10 * attribute(number, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
                + attribute(number, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    }

    public static long totalBytes(int number) {
        long[] bytes = new long[1];
        CudaStatus.driver(JCudaDriver.cuDeviceTotalMem(bytes, device(number)), "cuDeviceTotalMem");
        return bytes[0];
    }

    /// Memory in use by all processes, in bytes.
    public static long usedBytes(int number) {
        CudaStatus.driver(JCudaDriver.cuCtxSetCurrent(PrimaryContexts.of(number)), "cuCtxSetCurrent");
        long[] free = new long[1];
        long[] total = new long[1];
        CudaStatus.driver(JCudaDriver.cuMemGetInfo(free, total), "cuMemGetInfo");
        return total[0] - free[0];
    }

    static int attribute(int number, int attribute) {
        int[] value = new int[1];
        CudaStatus.driver(JCudaDriver.cuDeviceGetAttribute(value, attribute, device(number)), "cuDeviceGetAttribute");
        return value[0];
    }

    static CUdevice device(int number) {
        int count = count();
        if (number >= count) {
            throw new DeviceException(
                    "there is no device cuda:%d here; there %s. Check nvidia-smi and CUDA_VISIBLE_DEVICES"
                            .formatted(
                                    number,
                                    count == 1
                                            ? "is 1, cuda:0"
                                            : "are %d, cuda:0 to cuda:%d".formatted(count, count - 1)));
        }
        CUdevice device = new CUdevice();
        CudaStatus.driver(JCudaDriver.cuDeviceGet(device, number), "cuDeviceGet");
        return device;
    }
}
