package io.trainyard.sweep;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.SweepValues;
import java.math.BigDecimal;
import java.math.MathContext;

/// Random values that are equal in every process: from one generator, with functions that give the same bits on
/// every machine, rounded to readable values.
final class SweepRandom {
    private static final MathContext FIGURES = new MathContext(4);

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final TorchRandom random;

    SweepRandom(long seed) {
        this.random = new TorchRandom(seed);
    }

    /// @param whole whether a range gives whole numbers, both bounds as often as those between them
    JsonNode next(SweepValues values, boolean whole) {
        return switch (values) {
            case SweepValues.Choices(var choices) -> choices.get(random.below(choices.size()));
            case SweepValues.Range range
            when whole ->
                whole(Math.clamp(
                        Math.rint(between(range.min() - 0.5, Math.floor(range.max()) + 0.5, range.scale())),
                        range.min(),
                        Math.floor(range.max())));
            case SweepValues.Range range ->
                JSON.numberNode(Math.clamp(
                        rounded(between(range.min(), range.max(), range.scale())), range.min(), range.max()));
        };
    }

    /// A value that may be drawn.
    static JsonNode first(SweepValues values, boolean whole) {
        return switch (values) {
            case SweepValues.Choices(var choices) -> choices.getFirst();
            case SweepValues.Range range when whole && range.min() == Math.rint(range.min()) -> whole(range.min());
            case SweepValues.Range range -> JSON.numberNode(range.min());
        };
    }

    private static JsonNode whole(double number) {
        long value = (long) number;
        return value == (int) value ? JSON.numberNode((int) value) : JSON.numberNode(value);
    }

    private double between(double min, double max, SweepValues.Scale scale) {
        double share = (random.nextLong() >>> 10) * 0x1p-53; // 53 of its 63 bits: below 1
        return switch (scale) {
            case LINEAR -> min + share * (max - min);
            case LOG -> {
                double from = StrictMath.log(min);
                yield StrictMath.exp(from + share * (StrictMath.log(max) - from));
            }
        };
    }

    private static double rounded(double value) {
        return new BigDecimal(value).round(FIGURES).doubleValue();
    }
}
