package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ChannelGradientSums;
import io.trainyard.device.onednn.kernel.Normalisation;
import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.Network;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// Multiplies each channel of a sample by its factor, with the kernels of batch norm and a center of 0, sample by
/// sample.
final class OneDnnGate extends OneDnnJoin {
    private final ChannelValues input;
    private final int samples;
    private final int channels;
    private final Memory factors; // (samples, channels), row-major
    private final Memory output;

    OneDnnGate(ProgramBuilder program, Network.Layer layer, Memory input) {
        super(program, layer, input);
        this.input = ChannelValues.of(program, layer, input);
        program.share(this.input.memory());
        samples = Math.toIntExact(input.layout().sizes()[0]);
        channels = layer.in().size(0);
        Layout plain = program.engine().plain(samples, channels);
        factors = program.in(plain, sized(program, branches.getLast().output(), samples, channels));
        program.share(factors);
        output = program.engine().memory(this.input.memory().layout());
        program.add(scaling(this.input.memory(), output));
    }

    private Operation scaling(Memory from, Memory to) {
        Normalisation scaling = new Normalisation(input.one(), ValueType.FLOAT32, false);
        double[] zeros = new double[channels];
        double[] ofSample = new double[channels];
        MemorySegment source = from.data();
        MemorySegment target = to.data();
        MemorySegment values = factors.data();
        return () -> {
            for (int n = 0; n < samples; n++) {
                for (int c = 0; c < channels; c++) {
                    ofSample[c] = values.getAtIndex(ValueLayout.JAVA_FLOAT, (long) n * channels + c);
                }
                scaling.set(zeros, ofSample, zeros);
                scaling.compute(sample(source, n), null, sample(target, n));
            }
        };
    }

    private MemorySegment sample(MemorySegment batch, int n) {
        long bytes = input.one().sampleStride() * Float.BYTES;
        return batch.asSlice(n * bytes, bytes);
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    List<Memory> split(ProgramBuilder program, Memory outputGradient) {
        Memory given = program.in(input.memory().layout(), outputGradient);
        Memory ofFactors = program.engine().memory(factors.layout());
        ChannelGradientSums sums = new ChannelGradientSums(input.one(), ValueType.FLOAT32);
        double[] zeros = new double[channels];
        double[] unused = new double[channels];
        double[] products = new double[channels];
        MemorySegment gradient = given.data();
        MemorySegment x = input.memory().data();
        MemorySegment target = ofFactors.data();
        program.add(() -> {
            for (int n = 0; n < samples; n++) {
                sums.compute(sample(gradient, n), sample(x, n), zeros, unused, products);
                for (int c = 0; c < channels; c++) {
                    target.setAtIndex(ValueLayout.JAVA_FLOAT, (long) n * channels + c, (float) products[c]);
                }
            }
        });
        Memory ofInput = program.over(given);
        program.add(scaling(given, ofInput));
        return List.of(ofInput, ofFactors);
    }
}
