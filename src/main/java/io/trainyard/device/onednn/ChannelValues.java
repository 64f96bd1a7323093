package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ImageLayout;
import io.trainyard.spec.Network;

/// A batch as kernels see it that treat each channel by itself; of a vector each number is a channel.
///
/// @param memory the batch in a layout that they know
record ChannelValues(Memory memory, ImageLayout images) {
    /// The input of a layer. Vectors lie row by row, those that were images before a flatten, too.
    static ChannelValues of(ProgramBuilder program, Network.Layer layer, Memory input) {
        boolean image = layer.in().rank() > 1;
        Layout layout = input.layout();
        boolean known = image && layout.image().isPresent();
        Memory memory = known ? input : program.in(program.engine().plain(layout.sizes()), input);
        ImageLayout images = image
                ? memory.layout().image().orElseThrow()
                : ImageLayout.ofRows(
                        Math.toIntExact(layout.sizes()[0]), layer.in().elements());
        return new ChannelValues(memory, images);
    }
}
