package io.trainyard.device.cuda.driver;

import jcuda.jcublas.cublasHandle;
import jcuda.jcudnn.cudnnHandle;

/// Where work is enqueued: a stream, and what the libraries enqueue by on it.
record Lane(Stream stream, cudnnHandle dnn, cublasHandle blas) {}
