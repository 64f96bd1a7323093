package io.trainyard.spec;

/// The sets of values of a sample that are normalized together, and the scale and shift of each value; values are
/// in (channel, row, column) order.
///
/// @param sets number of sets in a sample
/// @param size values of a set
/// @param sideBySide whether the sets are interleaved: the first values of all sets, then the second ones;
///     otherwise one whole set follows another
/// @param weights number of scales, and of shifts
/// @param run number of adjacent values that share a scale; the scales repeat cyclically
public record NormSets(int sets, int size, boolean sideBySide, int weights, int run) {
    /// The index in the sample of value `i` of a set.
    public int place(int set, int i) {
        return sideBySide ? i * sets + set : set * size + i;
    }

    /// The index of the scale for the value at `place`.
    public int weight(int place) {
        return place / run % weights;
    }
}
