package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ImageLayout;
import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.Network;
import java.util.ArrayList;
import java.util.List;

/// The channels of all branches, one branch after another.
final class OneDnnConcat extends OneDnnJoin {
    private static final int CHANNELS = 1; // index of the dimension

    private final List<Part> parts = new ArrayList<>(); // of the branches
    private final Memory output;

    /// A branch's part of the output.
    ///
    /// @param begin index of its first element in each dimension
    private record Part(Memory values, long[] sizes, long[] begin) {}

    OneDnnConcat(ProgramBuilder program, Network.Layer layer, Memory input) {
        super(program, layer, input);
        long[] joined = OneDnnLayer.outputSizes(input, layer);
        long[] begin = new long[joined.length];
        for (int i = 0; i < branches.size(); i++) {
            List<Network.Layer> branch = layer.branches().get(i);
            long[] sizes = joined.clone();
            sizes[CHANNELS] = (branch.isEmpty() ? layer.in() : branch.getLast().out()).size(0);
            parts.add(new Part(sized(program, branches.get(i).output(), sizes), sizes, begin.clone()));
            begin[CHANNELS] += sizes[CHANNELS];
        }
        output = program.engine().memory(layout(program.engine(), input.layout().type(), joined));
        for (Part part : parts) {
            program.add(program.engine().reorder(part.values(), program.part(output, part.sizes(), part.begin())));
        }
    }

    /// The widest blocks of channels among the branches of which none belongs to two branches.
    private Layout layout(Engine engine, ValueType type, long... joined) {
        int lanes = parts.stream()
                .flatMap(part -> part.values().layout().image().stream())
                .mapToInt(ImageLayout::lanes)
                .filter(blocks -> blocks == 8 || blocks == 16)
                .filter(blocks -> parts.stream().allMatch(part -> part.begin()[CHANNELS] % blocks == 0))
                .max()
                .orElse(1);
        return lanes > 1 ? engine.blocked(type, lanes, joined) : engine.plain(type, joined);
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    List<Memory> split(ProgramBuilder program, Memory outputGradient) {
        Engine engine = program.engine();
        Memory joined = sized(program, outputGradient, output.layout().sizes());
        List<Memory> gradients = new ArrayList<>();
        for (Part part : parts) {
            Memory gradient = engine.memory(
                    engine.like(part.values().layout(), joined.layout().type()));
            program.add(engine.reorder(program.part(joined, part.sizes(), part.begin()), gradient));
            gradients.add(gradient);
        }
        return gradients;
    }
}
