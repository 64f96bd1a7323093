package io.trainyard.device;

/// Which part of something that is cut into `count` parts, as equal as can be: of the samples of every batch, or
/// of the parameters.
///
/// @param index 0 to `count - 1`
public record EvenPart(int index, int count) {
    /// Not cut at all.
    public static final EvenPart WHOLE = new EvenPart(0, 1);

    public EvenPart {
        if (index < 0 || index >= count) {
            throw new IllegalArgumentException("part %d of %d; allowed is 0 to %d".formatted(index, count, count - 1));
        }
    }

    /// The first of the part's elements, where there are `all`.
    public int begin(int all) {
        return (int) ((long) all * index / count);
    }

    /// Behind the last of the part's elements.
    public int end(int all) {
        return (int) ((long) all * (index + 1) / count);
    }

    /// How many of `all` elements the part has; 0 for some parts, where there are more of them than elements.
    public int size(int all) {
        return end(all) - begin(all);
    }

    /// This part's own part `piece` of `pieces`: all of them together are this part.
    public EvenPart piece(int piece, int pieces) {
        return new EvenPart(index * pieces + piece, count * pieces);
    }
}
