package io.trainyard.device.cuda.driver;

import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceLostException;
import io.trainyard.device.DeviceMemoryException;
import java.util.Map;
import java.util.Set;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import jcuda.jcublas.JCublas2;
import jcuda.jcudnn.JCudnn;
import jcuda.nvrtc.JNvrtc;

/// Converts the status of a native call to an exception with the status's name, the call and the solution. JCuda's
/// own exceptions are disabled, because they would also be thrown for answers such as `CUDA_ERROR_NOT_READY`.
public final class CudaStatus {
    private static final int CONTAINED = 226; // new in CUDA 13, unknown to JCuda
    private static final int TENSOR_MEMORY_LEAK = 721;

    /// After one of these every call of the process in that context fails: "the process must be terminated and
    /// relaunched" (cuda.h). Resetting the context is not guaranteed to help.
    private static final Set<Integer> STICKY = Set.of(
            CONTAINED,
            TENSOR_MEMORY_LEAK,
            CUresult.CUDA_ERROR_MPS_CLIENT_TERMINATED,
            CUresult.CUDA_ERROR_EXTERNAL_DEVICE,
            CUresult.CUDA_ERROR_ECC_UNCORRECTABLE,
            CUresult.CUDA_ERROR_NVLINK_UNCORRECTABLE,
            CUresult.CUDA_ERROR_ILLEGAL_ADDRESS,
            CUresult.CUDA_ERROR_LAUNCH_TIMEOUT,
            CUresult.CUDA_ERROR_CONTEXT_IS_DESTROYED,
            CUresult.CUDA_ERROR_ASSERT,
            CUresult.CUDA_ERROR_HARDWARE_STACK_ERROR,
            CUresult.CUDA_ERROR_ILLEGAL_INSTRUCTION,
            CUresult.CUDA_ERROR_MISALIGNED_ADDRESS,
            CUresult.CUDA_ERROR_INVALID_ADDRESS_SPACE,
            CUresult.CUDA_ERROR_INVALID_PC,
            CUresult.CUDA_ERROR_LAUNCH_FAILED,
            CUresult.CUDA_ERROR_UNKNOWN);

    private static final Map<Integer, String> HINTS = Map.of(
            CUresult.CUDA_ERROR_OUT_OF_MEMORY,
            "choose a smaller batchSize or network, or free the GPU: nvidia-smi shows the processes that use it",
            CUresult.CUDA_ERROR_NO_DEVICE,
            "no GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES",
            CUresult.CUDA_ERROR_INVALID_DEVICE,
            "trainyard devices lists the GPUs there are",
            CUresult.CUDA_ERROR_ECC_UNCORRECTABLE,
            "the GPU's memory is faulty: check nvidia-smi -q -d ECC, drain the node and reset the GPU",
            CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU,
            "NVRTC is older than this GPU: install a newer CUDA");

    private static final String STICKY_HINT =
            "the GPU's context is lost, and this process can no longer use it: start another. If this happens again, check dmesg for NVRM: Xid";

    private CudaStatus() {}

    /// Checks a status of the CUDA driver.
    ///
    /// @param call the function and its object
    /// @throws DeviceLostException if the context is lost
    /// @throws DeviceMemoryException if the GPU's memory is exhausted
    /// @throws DeviceException for any other error
    public static void driver(int status, String call) {
        if (status == CUresult.CUDA_SUCCESS) {
            return;
        }
        String[] name = new String[1];
        String[] text = new String[1];
        JCudaDriver.cuGetErrorName(status, name);
        JCudaDriver.cuGetErrorString(status, text);
        String known = name[0] == null ? CUresult.stringFor(status) : name[0];
        String message = "%s failed: %s (%d)%s".formatted(call, known, status, text[0] == null ? "" : ", " + text[0]);
        if (STICKY.contains(status)) {
            throw new DeviceLostException(message + "; " + STICKY_HINT);
        }
        String hint = HINTS.get(status);
        String sentence = hint == null ? message : message + "; " + hint;
        throw status == CUresult.CUDA_ERROR_OUT_OF_MEMORY
                ? new DeviceMemoryException(sentence)
                : new DeviceException(sentence);
    }

    /// Checks a status of cuDNN.
    ///
    /// @throws DeviceLostException if the context is lost, which cuDNN itself does not report
    public static void dnn(int status, String call) {
        if (status != 0) { // cuDNN 9 renumbered them, so only the library knows their names
            library(call, JCudnn.cudnnGetErrorString(status), status, "cuDNN");
        }
    }

    /// Checks a status of cuBLAS.
    ///
    /// @throws DeviceLostException if the context is lost, which cuBLAS itself does not report
    public static void blas(int status, String call) {
        if (status != 0) {
            library(call, JCublas2.cublasGetStatusString(status), status, "cuBLAS");
        }
    }

    public static void nvrtc(int status, String call) {
        if (status != 0) {
            throw new DeviceException("%s failed: %s (%d)".formatted(call, JNvrtc.nvrtcGetErrorString(status), status));
        }
    }

    private static void library(String call, String name, int status, String library) {
        String message = "%s failed: %s (%s's status %d)".formatted(call, name, library, status);
        int context = JCudaDriver.cuStreamSynchronize(Stream.OF_COPIES.handle());
        if (STICKY.contains(context)) {
            throw new DeviceLostException(
                    "%s; the driver reports %s;  %s".formatted(message, CUresult.stringFor(context), STICKY_HINT));
        }
        throw new DeviceException(message);
    }
}
