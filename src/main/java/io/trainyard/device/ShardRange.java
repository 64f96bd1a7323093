package io.trainyard.device;

/// One of `count` parts of nearly equal size, of the samples of every batch or of the parameters.
///
/// @param index 0 to `count - 1`
public record ShardRange(int index, int count) {
    public static final ShardRange WHOLE = new ShardRange(0, 1);

    public ShardRange {
        if (index < 0 || index >= count) {
            throw new IllegalArgumentException("part %d of %d; allowed is 0 to %d".formatted(index, count, count - 1));
        }
    }

    /// The index of the part's first element out of `all`.
    public int begin(int all) {
        return (int) ((long) all * index / count);
    }

    /// One past the index of the part's last element.
    public int end(int all) {
        return (int) ((long) all * (index + 1) / count);
    }

    /// The number of elements of the part out of `all`; may be 0 if there are more parts than elements.
    public int size(int all) {
        return end(all) - begin(all);
    }

    /// The part `piece` of `pieces` of this part; together they are this part.
    public ShardRange piece(int piece, int pieces) {
        return new ShardRange(index * pieces + piece, count * pieces);
    }
}
