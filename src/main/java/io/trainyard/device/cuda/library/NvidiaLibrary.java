package io.trainyard.device.cuda.library;

import java.util.List;

/// NVIDIA's libraries besides the driver, in two releases each: the one that JCuda's natives were linked to, and the
/// next, which the natives are bridged to.
enum NvidiaLibrary {
    DNN("cuDNN", "libcudnn.so.", 8, 9, NeededFunctions.DNN),
    BLAS("cuBLAS", "libcublas.so.", 12, 13, NeededFunctions.BLAS),
    COMPILER("NVRTC", "libnvrtc.so.", 12, 13, NeededFunctions.COMPILER);

    /// As people call it.
    final String title;

    /// The file's name up to the release.
    final String stem;

    /// What JCuda was linked to.
    final int linked;

    /// What has taken its place.
    final int newer;

    /// What Trainyard calls.
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

    /// The shortest way to it, besides the system's packages.
    String installation(int release) {
        return switch (this) {
            case DNN -> "pip install nvidia-cudnn-cu%d".formatted(release == linked ? BLAS.linked : BLAS.newer);
            case BLAS -> release == linked ? "pip install nvidia-cublas-cu12" : "pip install nvidia-cublas";
            case COMPILER -> release == linked ? "pip install nvidia-cuda-nvrtc-cu12" : "pip install nvidia-cuda-nvrtc";
        };
    }
}
