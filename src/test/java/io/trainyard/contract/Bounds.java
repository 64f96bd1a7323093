package io.trainyard.contract;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.function.DoublePredicate;
import java.util.function.LongPredicate;

/// Between which numbers a reader takes all of them, found by asking it.
final class Bounds {
    private Bounds() {}

    /// Adds `minimum` and `maximum` to a schema of whole numbers.
    ///
    /// @param taken one that is taken
    /// @param least what a field of this type can have at least
    /// @param most the same at most
    static void ofWholeNumbers(ObjectNode schema, long taken, long least, long most, LongPredicate isTaken) {
        schema.put("minimum", last(taken, least, isTaken));
        schema.put("maximum", last(taken, most, isTaken));
    }

    /// The last number that is taken on the way from one that is to an end.
    static long last(long taken, long end, LongPredicate isTaken) {
        if (isTaken.test(end)) {
            return end;
        }
        long in = taken;
        long out = end;
        while (Math.abs(in - out) != 1) {
            long middle = (in & out) + ((in ^ out) >> 1); // their mean, which their sum may be too large for
            if (isTaken.test(middle)) {
                in = middle;
            } else {
                out = middle;
            }
        }
        return in;
    }

    /// Adds `minimum` or `exclusiveMinimum`, and likewise at the other end, to a schema of numbers; none where all are
    /// taken.
    static void ofNumbers(ObjectNode schema, double taken, DoublePredicate isTaken) {
        bound(schema, "inimum", taken, -Double.MAX_VALUE, isTaken);
        bound(schema, "aximum", taken, Double.MAX_VALUE, isTaken);
    }

    /// Two doubles side by side are the last that is taken and the first that is not; the rounder one is meant.
    private static void bound(ObjectNode schema, String word, double taken, double end, DoublePredicate isTaken) {
        if (isTaken.test(end)) {
            return;
        }
        long order = last(ordered(taken), ordered(end), number -> isTaken.test(number(number)));
        double in = number(order);
        double out = number(end > taken ? order + 1 : order - 1);
        boolean inclusive = text(in).length() <= text(out).length();
        schema.set(
                inclusive ? "m" + word : "exclusiveM" + word,
                schema.numberNode(new BigDecimal(text(inclusive ? in : out))));
    }

    private static String text(double number) {
        String text =
                new BigDecimal(Double.toString(number)).stripTrailingZeros().toPlainString();
        return text.equals("-0") ? "0" : text;
    }

    /// Whole numbers in the order of the doubles.
    private static long ordered(double number) {
        long bits = Double.doubleToLongBits(number);
        return bits >= 0 ? bits : Long.MIN_VALUE - bits;
    }

    private static double number(long ordered) {
        return Double.longBitsToDouble(ordered >= 0 ? ordered : Long.MIN_VALUE - ordered);
    }
}
