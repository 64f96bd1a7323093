package io.trainyard.device.cuda.driver;

import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/// Direct copies between GPUs. With a translating IOMMU, PCIe may silently drop such copies (NVIDIA's documentation
/// of peer access), so a copy is tested first.
final class Peers {
    private static final System.Logger LOG = System.getLogger(Peers.class.getName());

    private static final int TRIED_INTS = 1 << 18; // large copies use another path than small ones

    private Peers() {}

    /// Enables direct reads of the other GPU's memory if the hardware supports them and a test succeeds; otherwise
    /// the driver copies through the host.
    static void enable(Gpu gpu, Gpu other) {
        int[] can = new int[1];
        CudaStatus.driver(
                JCudaDriver.cuDeviceCanAccessPeer(can, gpu.device(), other.device()),
                "cuDeviceCanAccessPeer from %s to %s".formatted(gpu, other));
        if (can[0] == 0) {
            return;
        }
        int status = JCudaDriver.cuCtxEnablePeerAccess(other.context(), 0);
        if (status == CUresult.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
            return; // an earlier session has tested it
        }
        if (status == CUresult.CUDA_ERROR_TOO_MANY_PEERS) {
            warn(gpu, other, "has as many peers as it can");
            return;
        }
        CudaStatus.driver(status, "cuCtxEnablePeerAccess from %s to %s".formatted(gpu, other));
        if (!arrives(gpu, other)) {
            CudaStatus.driver(
                    JCudaDriver.cuCtxDisablePeerAccess(other.context()),
                    "cuCtxDisablePeerAccess from %s to %s".formatted(gpu, other));
            warn(
                    gpu,
                    other,
                    "does not get what it copies from it, although the driver reports so (an IOMMU may be in the way)");
        }
    }

    private static void warn(Gpu gpu, Gpu other, String why) {
        LOG.log(System.Logger.Level.WARNING, "{0} {1}: copies from {2} go through the host", gpu, why, other);
    }

    /// Whether a copy of the other GPU's memory arrives intact.
    private static boolean arrives(Gpu gpu, Gpu other) {
        int[] sent = ThreadLocalRandom.current().ints(TRIED_INTS).toArray();
        int[] found = new int[TRIED_INTS];
        long bytes = (long) TRIED_INTS * Integer.BYTES;
        Gpu.makeCurrent(other);
        CUdeviceptr from = allocate(other, bytes);
        try {
            CudaStatus.driver(JCudaDriver.cuMemcpyHtoD(from, Pointer.to(sent), bytes), "cuMemcpyHtoD to " + other);
            Stream.OF_COPIES.synchronize();
            gpu.enter();
            CUdeviceptr to = allocate(gpu, bytes);
            try {
                CudaStatus.driver(JCudaDriver.cuMemsetD8(to, (byte) 0, bytes), "cuMemsetD8");
                Stream.OF_COPIES.synchronize();
                CudaStatus.driver(
                        JCudaDriver.cuMemcpyPeerAsync(
                                to,
                                gpu.context(),
                                from,
                                other.context(),
                                bytes,
                                gpu.compute().handle()),
                        "the first copy from %s to %s".formatted(other, gpu));
                gpu.compute().synchronize();
                CudaStatus.driver(JCudaDriver.cuMemcpyDtoH(Pointer.to(found), to, bytes), "cuMemcpyDtoH from " + gpu);
            } finally {
                JCudaDriver.cuMemFree(to);
            }
        } finally {
            JCudaDriver.cuMemFree(from);
            gpu.enter();
        }
        return IntStream.range(0, TRIED_INTS).allMatch(i -> found[i] == sent[i]);
    }

    private static CUdeviceptr allocate(Gpu gpu, long bytes) {
        CUdeviceptr memory = new CUdeviceptr();
        CudaStatus.driver(JCudaDriver.cuMemAlloc(memory, bytes), "cuMemAlloc to try copies on " + gpu);
        return memory;
    }
}
