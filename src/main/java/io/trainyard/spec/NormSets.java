package io.trainyard.spec;

/// Which values of a sample are normalised together, and which of the scales and shifts belongs to each; values are
/// counted in (channel, row, column) order.
///
/// @param sets how many a sample has
/// @param size values of a set
/// @param sideBySide whether the first values of all sets come first, then the second ones; otherwise a whole set, then
///     the next
/// @param weights how many scales, and shifts, there are
/// @param run how many neighbours share a scale; then comes the next scale's, and behind the last the first again
public record NormSets(int sets, int size, boolean sideBySide, int weights, int run) {
    /// Where value number `i` of a set is in its sample.
    public int place(int set, int i) {
        return sideBySide ? i * sets + set : set * size + i;
    }

    /// The number of the scale of the value at `place`.
    public int weight(int place) {
        return place / run % weights;
    }
}
