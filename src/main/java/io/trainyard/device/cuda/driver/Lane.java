package io.trainyard.device.cuda.driver;

import jcuda.jcublas.cublasHandle;
import jcuda.jcudnn.cudnnHandle;

/// A stream with the library handles that enqueue on it.
record Lane(Stream stream, cudnnHandle dnn, cublasHandle blas) {}
