package io.trainyard.device.cuda.layer;

/// A convolution after explicit padding.
record CudaPaddedConv2d(CudaResampling padding, CudaConv2d convolution) implements CudaLayer {
    @Override
    public BatchTensor out() {
        return convolution.out();
    }

    @Override
    public boolean needsOutput() {
        return convolution.needsOutput();
    }

    @Override
    public boolean takeRelu() {
        return convolution.takeRelu();
    }

    @Override
    public void forward() {
        padding.forward();
        convolution.forward();
    }

    @Override
    public void backward() {
        convolution.backward();
        padding.backward();
    }
}
