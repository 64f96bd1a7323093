package io.trainyard.device.cuda.library;

import java.util.List;

/// NVIDIA's libraries except the driver, in two releases each: the one that JCuda's natives were linked to, and the
/// next, for which the natives are patched.
enum NvidiaLibrary {
    DNN("cuDNN", "libcudnn.so.", 8, 9, NeededFunctions.DNN),
    BLAS("cuBLAS", "libcublas.so.", 12, 13, NeededFunctions.BLAS),
    COMPILER("NVRTC", "libnvrtc.so.", 12, 13, NeededFunctions.COMPILER);

    final String title;

    /// The file's name up to the release.
    final String stem;

    final int linked;

    final int newer;

    final List<String> functions;

    NvidiaLibrary(String title, String stem, int linked, int newer, List<String> functions) {
        this.title = title;
        this.stem = stem;
        this.linked = linked;
        this.newer = newer;
        this.functions = functions;
    }

    String file(int release) {
        return stem + release;
    }

    /// The simplest way to install it, apart from system packages.
    String installation(int release) {
        return switch (this) {
            case DNN -> "pip install nvidia-cudnn-cu%d".formatted(release == linked ? BLAS.linked : BLAS.newer);
            case BLAS -> release == linked ? "pip install nvidia-cublas-cu12" : "pip install nvidia-cublas";
            case COMPILER -> release == linked ? "pip install nvidia-cuda-nvrtc-cu12" : "pip install nvidia-cuda-nvrtc";
        };
    }
}
