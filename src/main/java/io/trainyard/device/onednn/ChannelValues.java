package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ImageLayout;
import io.trainyard.spec.Network;

/// A batch as kernels see it that process each channel separately; in vectors each feature is a channel.
///
/// @param memory the batch in a layout that the kernels support
/// @param one layout of the first sample
record ChannelValues(Memory memory, ImageLayout images, ImageLayout one) {
    /// The input of a layer. Vectors are row-major, including flattened images.
    static ChannelValues of(ProgramBuilder program, Network.Layer layer, Memory input) {
        boolean image = layer.in().rank() > 1;
        Layout layout = input.layout();
        boolean known = image && layout.image().isPresent();
        Memory memory = known ? input : program.in(program.engine().plain(layout.type(), layout.sizes()), input);
        if (image) {
            ImageLayout images = memory.layout().image().orElseThrow();
            return new ChannelValues(memory, images, images.ofOne());
        }
        int numbers = layer.in().elements();
        int vectors = Math.toIntExact(layout.sizes()[0]);
        return new ChannelValues(memory, ImageLayout.ofRows(vectors, numbers), ImageLayout.ofRows(1, numbers));
    }
}
