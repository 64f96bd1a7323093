package io.trainyard.device.cuda.layer;

/// A layer with one input and its own output.
abstract class AbstractCudaLayer implements CudaLayer {
    final Compilation c;
    final BatchTensor in;
    final BatchTensor out;

    AbstractCudaLayer(Compilation c, BatchTensor in, BatchTensor out) {
        this.c = c;
        this.in = in;
        this.out = out;
    }

    @Override
    public final BatchTensor out() {
        return out;
    }
}
