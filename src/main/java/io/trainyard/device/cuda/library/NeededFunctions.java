package io.trainyard.device.cuda.library;

import java.util.List;

/// The functions of NVIDIA's libraries that Trainyard calls, by their names in the libraries. JCuda's natives
/// resolve them on first call, and a missing one terminates the process, so they are checked before. JCuda's
/// methods have the same names without `_v2`, except `cuGraphInstantiate`, which calls
/// `cuGraphInstantiateWithFlags`.
final class NeededFunctions {
    static final List<String> DRIVER = names("""
            cuInit cuDriverGetVersion cuGetErrorName cuGetErrorString
            cuDeviceGet cuDeviceGetCount cuDeviceGetName cuDeviceGetPCIBusId cuDeviceGetAttribute cuDeviceTotalMem_v2
            cuDevicePrimaryCtxRetain
            cuDeviceCanAccessPeer cuCtxEnablePeerAccess cuCtxDisablePeerAccess cuCtxSetCurrent
            cuMemGetInfo_v2 cuMemAlloc_v2 cuMemFree_v2 cuMemHostAlloc cuMemFreeHost
            cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2
            cuMemcpyPeerAsync cuMemsetD8_v2 cuMemsetD8Async
            cuStreamCreate cuStreamDestroy_v2 cuStreamSynchronize cuStreamWaitEvent
            cuStreamBeginCapture_v2 cuStreamEndCapture cuGraphGetNodes
            cuGraphInstantiateWithFlags cuGraphLaunch cuGraphDestroy cuGraphExecDestroy
            cuEventCreate cuEventRecord cuEventSynchronize cuEventQuery cuEventElapsedTime cuEventDestroy_v2
            cuModuleLoadData cuModuleGetFunction cuModuleUnload cuLaunchKernel
            """);

    static final List<String> DNN = names("""
            cudnnGetVersion cudnnGetCudartVersion cudnnGetErrorString cudnnCreate cudnnDestroy cudnnSetStream
            cudnnBackendCreateDescriptor cudnnBackendDestroyDescriptor cudnnBackendSetAttribute
            cudnnBackendGetAttribute cudnnBackendFinalize cudnnBackendExecute
            """);

    static final List<String> BLAS = names("""
            cublasGetProperty cublasGetStatusString cublasCreate_v2 cublasDestroy_v2 cublasSetStream_v2
            cublasSetMathMode cublasSetWorkspace_v2 cublasGemmEx
            """);

    static final List<String> COMPILER = names("""
            nvrtcVersion nvrtcGetErrorString nvrtcCreateProgram nvrtcCompileProgram nvrtcGetProgramLogSize
            nvrtcGetProgramLog nvrtcGetCUBINSize nvrtcGetCUBIN nvrtcGetPTXSize nvrtcGetPTX nvrtcDestroyProgram
            nvrtcGetNumSupportedArchs nvrtcGetSupportedArchs
            """);

    private NeededFunctions() {}

    private static List<String> names(String text) {
        return List.of(text.strip().split("\\s+"));
    }
}
