package io.trainyard.device.onednn;

/// A layer without work. Identity is one, and flatten: the dimensions stay as they are, the linear layer behind it
/// takes them, and
/// for all others the order of elements within a sample is the same.
record PassThrough(Memory output) implements CompiledLayer {
    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        return outputGradient;
    }
}
