package io.trainyard.device.onednn;

/// A layer without computation: identity and flatten. Flatten keeps the dimensions, because the linear layer after
/// it accepts them, and the order of elements within a sample is the same.
record PassThrough(Memory output) implements OneDnnLayer {
    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        return outputGradient;
    }
}
