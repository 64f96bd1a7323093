package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.Depthwise;
import io.trainyard.device.onednn.kernel.ImageLayout;
import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.Conv2d;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A depthwise convolution by our own kernel: oneDNN has no kernel for windows as large as their images, and takes
/// up to a hundred times as long.
final class DepthwiseConv2d {
    private static final int CHANNEL = 1; // index of the dimension

    private final Conv2d spec;
    private final long[] outputSizes;
    private final long[] weightSizes;

    /// @param outputSizes (samples, channels, rows, columns)
    /// @param weightSizes (channels, 1, 1, kernel rows, kernel columns)
    DepthwiseConv2d(Conv2d spec, long[] outputSizes, long[] weightSizes) {
        this.spec = spec;
        this.outputSizes = outputSizes.clone();
        this.weightSizes = weightSizes.clone();
    }

    /// Whether it supports the layer, and oneDNN only has a general implementation for it.
    static boolean fits(Conv2d spec, Memory input, PrimitiveDescription oneDnn) {
        long channels = input.layout().sizes()[CHANNEL];
        return spec.groups() == channels && spec.out() == channels && channels > 1 && oneDnn.general();
    }

    /// The layout of the weight for [#addForward].
    Layout weightLayout(Engine engine, Memory source) {
        return engine.blockedKernels(lanes(source), weightSizes);
    }

    /// @param type to which the weight is rounded
    /// @param source float32 with blocked channels
    /// @return float32
    Memory addForward(ProgramBuilder program, ValueType type, Memory source, OneDnnWeightAndBias parameters) {
        Engine engine = program.engine();
        int lanes = lanes(source);
        Memory output = engine.memory(engine.blocked(lanes, outputSizes));
        Depthwise kernel = kernel(source, output);
        MemorySegment x = source.data();
        MemorySegment y = output.data();
        MemorySegment weight = program.roundedIn(weightLayout(engine, source), type, parameters.weight())
                .data();
        ParameterMemory bias = parameters.bias();
        if (bias == null) {
            program.add(() -> kernel.forward(x, weight, null, y));
        } else {
            MemorySegment values = bias.value().data();
            MemorySegment padded = padded(engine, lanes);
            program.add(() -> {
                MemorySegment.copy(values, 0, padded, 0, values.byteSize());
                kernel.forward(x, weight, padded, y);
            });
        }
        return output;
    }

    void addGradients(ProgramBuilder program, Memory input, Memory outputGradient, OneDnnWeightAndBias parameters) {
        Engine engine = program.engine();
        Memory source = program.inBlocks(input);
        int lanes = lanes(source);
        Memory given = program.in(engine.blocked(lanes, outputSizes), outputGradient);
        Depthwise kernel = kernel(source, given);
        Memory target = parameters.weight().gradientTarget(engine);
        Memory computed = program.outputFor(target, weightLayout(engine, source));
        MemorySegment x = source.data();
        MemorySegment gradient = given.data();
        MemorySegment to = computed.data();
        program.add(() -> kernel.kernelGradient(x, gradient, to));
        program.deliver(computed, target);
        addBiasGradient(program, kernel, gradient, parameters.bias(), lanes);
    }

    private void addBiasGradient(
            ProgramBuilder program,
            Depthwise kernel,
            MemorySegment gradient,
            @Nullable ParameterMemory bias,
            int lanes) {
        if (bias != null && bias.gradient() != null) {
            MemorySegment target = bias.requireGradient().data();
            MemorySegment padded = padded(program.engine(), lanes);
            program.add(() -> {
                kernel.biasGradient(gradient, padded);
                MemorySegment.copy(padded, 0, target, 0, target.byteSize());
            });
        }
    }

    /// A number for each channel, and zeros that fill the last block.
    private MemorySegment padded(Engine engine, int lanes) {
        return engine.kept(engine.plain(Math.ceilDiv(outputSizes[CHANNEL], lanes) * lanes))
                .data();
    }

    private Depthwise kernel(Memory source, Memory output) {
        return new Depthwise(images(source), images(output), spec.windows());
    }

    private static int lanes(Memory images) {
        return images(images).lanes();
    }

    private static ImageLayout images(Memory memory) {
        return memory.layout().image().orElseThrow();
    }
}
