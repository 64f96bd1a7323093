package io.trainyard.device;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/// How a part of a session tells the parts in other processes what it has, and learns what they have. All parts call
/// the same methods in the same order, each on its session's thread; who comes first plays no part in any number.
public interface PartExchange {
    /// Which part of how many this one is.
    EvenPart part();

    /// Sums gradients over all parts, in place. Of the piece that a part stands for, its own come first and then the
    /// others' in their order, as where all parts are in one process.
    ///
    /// @param pieces all of this part's gradients in float32, cut into one piece a part: each has the same sizes
    ///     at all parts
    /// @param loss this part's share of the batch's mean loss
    /// @return the batch's mean loss
    /// @throws PartLostException if another part is gone
    float sum(List<List<MemorySegment>> pieces, float loss);

    /// Gives all parts what one has to say.
    ///
    /// @param own up to `limit` bytes; is read, and left as it is
    /// @param limit of what others may say; all parts know it
    /// @return what each part gave, in their order, valid until the next call
    /// @throws PartLostException if another part is gone
    List<ByteBuffer> gather(ByteBuffer own, int limit);
}
